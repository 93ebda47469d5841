import { postJson } from './post-json.js';
import type { Wallet } from './wallet.js';
import { pickWallet, showStatus } from './wallet-picker.js';

const container = document.querySelector<HTMLElement>('#login');
const { csrf = '', to = '', uid } = container?.dataset ?? {};

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

pickWallet(signIn);
