import { offerPasskeys } from './passkey-login.js';
import { postJson } from './post-json.js';
import { SAVED_FORM_KEY } from './saved-form-key.js';
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
  const answer = { requestId: challenge.requestId, accountId, uid, ...signed };
  const { to: first } = await postJson<{ to?: string }>('/login/sessions', csrf, answer);
  window.location.assign(first === undefined ? to : `${first}?${new URLSearchParams({ to }).toString()}`);
}

// The form was sent before this page was loaded (`saved-forms.ts`).
const keptForm = document.querySelector<HTMLElement>('#kept-form');
if (keptForm) keptForm.hidden = sessionStorage.getItem(SAVED_FORM_KEY) === null;

pickWallet(signIn);
void offerPasskeys({ csrf, to, uid });
