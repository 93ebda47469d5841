import type { Wallet } from './wallet.js';

/** Shows the found wallets as buttons. */
export class WalletList {
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
