import { askServer } from './ask-server.js';
import { findEthereumWallets } from './ethereum-wallets.js';
import { inPlainWords } from './plain-words.js';
import { findSolanaWallets } from './solana-wallets.js';
import type { Wallet } from './wallet.js';
import { WalletList } from './wallet-list.js';

const NOTHING_FOUND_MS = 1_500;
const NOTHING_FOUND =
  'No wallet was found in this browser. Install or unlock one, then load this page again. On a phone, open it in the browser of your wallet.';

const place = document.querySelector<HTMLElement>('#login');
const status = document.querySelector<HTMLElement>('#status');
const { csrf = '', to = '', uid } = place?.dataset ?? {};

const say = (text: string, kind: 'working' | 'failed' | 'plain' = 'plain'): void => {
  if (!status) return;
  status.textContent = text;
  status.dataset['kind'] = kind;
};

async function signIn(wallet: Wallet): Promise<void> {
  say(`Waiting for ${wallet.name} …`, 'working');
  const accountId = await wallet.connect();
  const challenge = await askServer<{ requestId: string; message: string }>('/login/challenges', csrf, {
    accountId,
  });
  say(`Read the message in ${wallet.name} and sign it.`, 'working');
  const signed = await wallet.sign(challenge.message);
  say('Signing in …', 'working');
  await askServer('/login/sessions', csrf, { requestId: challenge.requestId, accountId, uid, ...signed });
  window.location.assign(to);
}

const wallets = new WalletList(document.querySelector('#wallets'), (wallet) => {
  wallets.disabled = true;
  signIn(wallet).catch((error: unknown) => {
    wallets.disabled = false;
    say(inPlainWords(error), 'failed');
  });
});

const onFound = (wallet: Wallet): void => {
  // A late one takes back that there is none.
  if (wallets.size === 0) say('');
  wallets.add(wallet);
};

findEthereumWallets(onFound);
findSolanaWallets(onFound);

setTimeout(() => {
  if (wallets.size === 0) say(NOTHING_FOUND, 'failed');
}, NOTHING_FOUND_MS);
