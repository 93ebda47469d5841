import { postJson } from './post-json.js';
import type { Wallet } from './wallet.js';
import { pickWallet, showStatus } from './wallet-picker.js';

const container = document.querySelector<HTMLElement>('#wallet-link');
const { csrf = '', requestId = '', message = '', removalMessage = '' } = container?.dataset ?? {};

async function sign(wallet: Wallet): Promise<void> {
  const isRemoval = container?.querySelector<HTMLInputElement>('input[value="remove"]')?.checked === true;
  showStatus(`Waiting for ${wallet.name} …`, 'working');
  const accountId = await wallet.connect();
  showStatus(`Read the message in ${wallet.name} and sign it.`, 'working');
  const { signature } = await wallet.sign(isRemoval ? removalMessage : message);
  const path = `/wallet-links/${requestId}/${isRemoval ? 'removals' : 'wallets'}`;
  await postJson(path, csrf, { accountId, signature });
  for (const part of container?.querySelectorAll('fieldset, p:not(#status), ul') ?? []) part.remove();
  showStatus(
    isRemoval
      ? 'The wallet is removed. You can close this page.'
      : 'The wallet is linked. You can close this page.',
  );
}

pickWallet(sign);
