import { postJson } from './post-json.js';
import { toAddress, type Wallet, WrongAccountError } from './wallet.js';
import { pickWallet, showStatus } from './wallet-picker.js';

const container = document.querySelector<HTMLElement>('#wallet-signing');
const { csrf = '', account, done = '' } = container?.dataset ?? {};

async function sign(wallet: Wallet): Promise<void> {
  showStatus(`Waiting for ${wallet.name} …`, 'working');
  const connected = await wallet.connect(account);
  if (account !== undefined && toAddress(connected) !== toAddress(account))
    throw new WrongAccountError(wallet.name, toAddress(account));
  const accountId = account ?? connected;
  const request = { accountId, endsOtherLinks: account !== undefined };
  const { message } = await postJson<{ message: string }>('/portal/wallets/challenges', csrf, request);
  showStatus(`Read the message in ${wallet.name} and sign it.`, 'working');
  const { signature } = await wallet.sign(message);
  showStatus('Checking the signature …', 'working');
  await postJson('/portal/wallets', csrf, { accountId, message, signature });
  showStatus(done);
  window.location.assign('/portal/wallets');
}

if (container) pickWallet(sign);
