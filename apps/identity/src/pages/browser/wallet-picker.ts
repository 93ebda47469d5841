import { RequestFailedError } from './post-json.js';
import { findEthereumWallets } from './ethereum-wallets.js';
import { findSolanaWallets } from './solana-wallets.js';
import { AbandonedError, WalletAnswers } from './wallet-answer.js';
import { type Wallet, NoAccountError, WrongAccountError } from './wallet.js';

/** Shows the found wallets as buttons. */
class WalletList {
  private readonly buttons: HTMLButtonElement[] = [];
  private isDisabled = false;

  constructor(
    private readonly list: HTMLElement | null,
    private readonly onChosen: (wallet: Wallet) => void,
  ) {}

  get size(): number {
    return this.buttons.length;
  }

  /** Uses `aria-disabled`, so that keyboard users keep the focus. */
  set disabled(disabled: boolean) {
    this.isDisabled = disabled;
    for (const button of this.buttons) button.ariaDisabled = String(disabled);
  }

  focus(): void {
    this.buttons[0]?.focus();
  }

  readonly add = (wallet: Wallet): void => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(createIcon(wallet), wallet.name);
    button.addEventListener('click', () => {
      if (!this.isDisabled) this.onChosen(wallet);
    });
    this.buttons.push(button);
    const item = document.createElement('li');
    item.append(button);
    this.list?.append(item);
  };
}

/** Uses the icon only if it is a data URI, so that nothing is fetched. */
function createIcon({ icon, name }: Wallet): HTMLElement {
  if (icon?.startsWith('data:image/')) {
    const image = document.createElement('img');
    image.src = icon;
    image.alt = '';
    return image;
  }
  const letter = document.createElement('span');
  letter.className = 'letter';
  letter.ariaHidden = 'true';
  letter.textContent = name.slice(0, 1);
  return letter;
}

const WALLET_SEARCH_TIMEOUT_MS = 1_500;
const NO_WALLET_TEXT = 'No wallet was found in this browser. Install or unlock one and reload this page.';

const status = document.querySelector<HTMLElement>('#status');

export const showStatus = (text: string, kind: 'working' | 'failed' | 'plain' = 'plain'): void => {
  if (!status) return;
  status.textContent = text;
  status.dataset['kind'] = kind;
};

/** Lists the wallets of the browser in `#wallets`. @param use called with the chosen one; its errors are shown in `#status` */
export function pickWallet(use: (wallet: Wallet) => Promise<void>): void {
  const stopButton = document.querySelector<HTMLButtonElement>('#stop-waiting');
  const answers = new WalletAnswers({
    setWaiting: (isWaiting) => {
      if (stopButton) stopButton.hidden = !isWaiting;
    },
    onSlow: (text) => {
      showStatus(text, 'working');
    },
  });
  stopButton?.addEventListener('click', () => {
    answers.stop();
    // The button is about to disappear with the focus on it.
    wallets.focus();
  });
  const wallets = new WalletList(document.querySelector('#wallets'), (wallet) => {
    wallets.disabled = true;
    use(answers.guard(wallet)).catch((error: unknown) => {
      wallets.disabled = false;
      const isChosen = error instanceof AbandonedError && error.isChosen;
      showStatus(describeError(error), isChosen ? 'plain' : 'failed');
    });
  });

  const onFound = (wallet: Wallet): void => {
    // Clears the message that no wallet was found.
    if (wallets.size === 0) showStatus('');
    wallets.add(wallet);
  };

  findEthereumWallets(onFound);
  findSolanaWallets(onFound);

  setTimeout(() => {
    if (wallets.size > 0) return;
    showStatus(NO_WALLET_TEXT, 'failed');
    const help = document.querySelector<HTMLDetailsElement>('#wallet-help');
    if (help) help.open = true;
  }, WALLET_SEARCH_TIMEOUT_MS);
}

/** EIP-1193 and EIP-1474. */
const WALLET_CODES: Record<string, string> = {
  '4001': 'You declined in your wallet. Nothing was signed.',
  '4100': 'Your wallet does not allow this page to use this account.',
  '4900': 'Your wallet is not connected to its network.',
  '-32002': 'Your wallet already shows a request. Answer it there and try again.',
};

/** Describes an error for the user. */
function describeError(error: unknown): string {
  const hasOwnText = [RequestFailedError, NoAccountError, WrongAccountError, AbandonedError].some(
    (type) => error instanceof type,
  );
  if (hasOwnText && error instanceof Error) return error.message;
  if (typeof error === 'object' && error !== null) {
    const known = 'code' in error ? WALLET_CODES[String(error.code)] : undefined;
    if (known !== undefined) return known;
    // The Wallet Standard has no error codes, so this matches the messages of wallets.
    if ('message' in error && /reject|declin|denied|cancel/i.test(String(error.message)))
      return 'You declined in your wallet. Nothing was signed.';
  }
  return 'The wallet could not sign. Check that it is unlocked and try again.';
}
