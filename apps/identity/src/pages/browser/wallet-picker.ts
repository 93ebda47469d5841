import { enableCopyButton } from './copy-button.js';
import { RequestFailedError } from './post-json.js';
import { findEthereumWallets } from './ethereum-wallets.js';
import { findSolanaWallets } from './solana-wallets.js';
import { AbandonedError, WalletAnswers } from './wallet-answer.js';
import { type Wallet, NoAccountError, WalletUnavailableError, WrongAccountError } from './wallet.js';
import { offerWalletConnect } from './wallet-connect.js';

/** Shows the found wallets as buttons. */
class WalletList {
  private readonly buttons: HTMLButtonElement[] = [];
  private isDisabled = false;
  /** The item behind those of wallets that are found later. */
  private last: HTMLElement | null = null;

  constructor(
    private readonly list: HTMLElement | null,
    private readonly onChosen: (wallet: Wallet) => void,
  ) {}

  /** Whether one of the wallets was chosen and is waited for. */
  get isInUse(): boolean {
    return this.isDisabled;
  }

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

  /** Adds a wallet that stays the last one. */
  addLast(wallet: Wallet): void {
    this.last = this.insert(wallet);
  }

  readonly add = (wallet: Wallet): void => {
    this.insert(wallet);
  };

  private insert(wallet: Wallet): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(createIcon(wallet), wallet.label ?? wallet.name);
    button.addEventListener('click', () => {
      if (!this.isDisabled) this.onChosen(wallet);
    });
    this.buttons.push(button);
    const item = document.createElement('li');
    item.append(button);
    this.list?.insertBefore(item, this.last);
    return item;
  }
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
const ONLY_PHONE_TEXT = 'No wallet was found in this browser. Use the one on your phone.';
const NO_WALLET_TEXT = 'No wallet was found in this browser. Install or unlock one and reload this page.';

const status = document.querySelector<HTMLElement>('#status');

export const showStatus = (text: string, kind: 'working' | 'failed' | 'plain' = 'plain'): void => {
  if (!status) return;
  status.textContent = text;
  status.dataset['kind'] = kind;
};

/** Opens what helps without a wallet in this browser. @param hasOther whether the page offers another one */
function showHelp(hasOther: boolean): void {
  const help = document.querySelector<HTMLDetailsElement>('#wallet-help');
  if (help && !hasOther) help.open = true;
  const phoneHelp = document.querySelector<HTMLElement>('#phone-help');
  if (!phoneHelp || !matchMedia('(pointer: coarse)').matches) return;
  phoneHelp.hidden = false;
  const button = phoneHelp.querySelector('button');
  if (!button) return;
  button.dataset['copy'] = window.location.href;
  enableCopyButton(button);
}

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
    use(answers.guard(wallet))
      .catch((error: unknown) => {
        wallets.disabled = false;
        const isChosen = error instanceof AbandonedError && error.isChosen;
        showStatus(describeError(error), isChosen ? 'plain' : 'failed');
      })
      .finally(() => void wallet.end?.());
  });

  let isFound = false;
  const onFound = (wallet: Wallet): void => {
    // Clears the message that no wallet was found.
    if (!isFound) showStatus('');
    isFound = true;
    wallets.add(wallet);
  };

  findEthereumWallets(onFound);
  findSolanaWallets(onFound);
  offerWalletConnect((wallet) => {
    wallets.addLast(wallet);
  });

  setTimeout(() => {
    // A wallet may be waited for that is not in this browser.
    if (isFound || wallets.isInUse) return;
    if (wallets.size > 0) showStatus(ONLY_PHONE_TEXT);
    else showStatus(NO_WALLET_TEXT, 'failed');
    showHelp(wallets.size > 0);
  }, WALLET_SEARCH_TIMEOUT_MS);
}

const UNSUPPORTED_TEXT = 'Your wallet cannot sign messages for Ethereum. Try another one.';

/** EIP-1193, EIP-1474, and the codes of WalletConnect between 3000 and 6000. */
const WALLET_CODES: Record<string, string> = {
  '5000': 'You declined in your wallet. Nothing was signed.',
  '5001': 'You declined in your wallet. Nothing was signed.',
  '5002': 'You declined in your wallet. Nothing was signed.',
  '5100': UNSUPPORTED_TEXT,
  '5101': UNSUPPORTED_TEXT,
  '5104': UNSUPPORTED_TEXT,
  '4001': 'You declined in your wallet. Nothing was signed.',
  '4100': 'Your wallet does not allow this page to use this account.',
  '4900': 'Your wallet is not connected to its network.',
  '-32002': 'Your wallet already shows a request. Answer it there and try again.',
};

/** Describes an error for the user. */
function describeError(error: unknown): string {
  const hasOwnText = [
    RequestFailedError,
    NoAccountError,
    WrongAccountError,
    WalletUnavailableError,
    AbandonedError,
  ].some((type) => error instanceof type);
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
