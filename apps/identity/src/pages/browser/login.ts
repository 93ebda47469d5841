import { postJson } from './post-json.js';
import { findEthereumWallets } from './ethereum-wallets.js';
import { describeError } from './describe-error.js';
import { findSolanaWallets } from './solana-wallets.js';
import type { Wallet } from './wallet.js';
import { WalletList } from './wallet-list.js';

const WALLET_SEARCH_TIMEOUT_MS = 1_500;
const NO_WALLET_TEXT =
  'No wallet was found in this browser. Install or unlock a wallet and reload this page. On a phone, open this page in the browser of your wallet.';

const container = document.querySelector<HTMLElement>('#login');
const status = document.querySelector<HTMLElement>('#status');
const { csrf = '', to = '', uid } = container?.dataset ?? {};

const showStatus = (text: string, kind: 'working' | 'failed' | 'plain' = 'plain'): void => {
  if (!status) return;
  status.textContent = text;
  status.dataset['kind'] = kind;
};

async function signIn(wallet: Wallet): Promise<void> {
  showStatus(`Waiting for ${wallet.name} …`, 'working');
  const accountId = await wallet.connect();
  const challenge = await postJson<{ requestId: string; message: string }>('/login/challenges', csrf, {
    accountId,
  });
  showStatus(`Read the message in ${wallet.name} and sign it.`, 'working');
  const signed = await wallet.sign(challenge.message);
  showStatus('Signing in …', 'working');
  await postJson('/login/sessions', csrf, { requestId: challenge.requestId, accountId, uid, ...signed });
  window.location.assign(to);
}

const wallets = new WalletList(document.querySelector('#wallets'), (wallet) => {
  wallets.disabled = true;
  signIn(wallet).catch((error: unknown) => {
    wallets.disabled = false;
    showStatus(describeError(error), 'failed');
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
  if (wallets.size === 0) showStatus(NO_WALLET_TEXT, 'failed');
}, WALLET_SEARCH_TIMEOUT_MS);
