import { describePasskeyError, showPasskeyStatus } from './passkey-status.js';
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
} from './passkeys.vendor.js';
import { postJson } from './post-json.js';

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];
type Assertion = Awaited<ReturnType<typeof startAuthentication>>;

export interface LoginPage {
  readonly csrf: string;
  readonly to: string;
  /** The authorization request that requires the login. */
  readonly uid: string | undefined;
}

/** A challenge is replaced this long before it ends, so that a user who chooses a suggestion has time to confirm it. */
const REPLACED_BEFORE_END_MS = 60_000;
/** Timers stand still while a computer sleeps, so the age of the challenge is looked at again and again. */
const AGE_CHECK_MS = 10_000;

const requestOptions = ({ csrf }: LoginPage): Promise<RequestOptions> =>
  postJson<RequestOptions>('/login/passkey-options', csrf, {});

async function complete({ csrf, to, uid }: LoginPage, response: Assertion): Promise<void> {
  showPasskeyStatus('Signing in …', 'working');
  await postJson('/login/passkey-sessions', csrf, { response, uid });
  window.location.assign(to);
}

async function signIn(page: LoginPage): Promise<void> {
  showPasskeyStatus('Waiting for your device …', 'working');
  await complete(page, await startAuthentication({ optionsJSON: await requestOptions(page) }));
}

/** @returns 'replace' once the challenge is too old; undefined when the button was chosen instead, or the browser gave up */
async function awaitSuggestion(optionsJSON: RequestOptions): Promise<Assertion | 'replace' | undefined> {
  const replaceAt = Date.now() + (optionsJSON.timeout ?? 0) - REPLACED_BEFORE_END_MS;
  const isOld = (): boolean => Date.now() >= replaceAt;
  const ageCheck = setInterval(() => {
    if (isOld()) WebAuthnAbortService.cancelCeremony();
  }, AGE_CHECK_MS);
  try {
    return await startAuthentication({ optionsJSON, useBrowserAutofill: true });
  } catch {
    // Nobody asked for the suggestions, so their failure is no news: the button says what is wrong.
    return isOld() ? 'replace' : undefined;
  } finally {
    clearInterval(ageCheck);
  }
}

/** Lets the browser suggest passkeys in the field until one signs in (conditional mediation). */
async function suggestPasskeys(page: LoginPage, isPaused: () => boolean): Promise<void> {
  for (;;) {
    const optionsJSON = await requestOptions(page);
    const answer = isPaused() ? undefined : await awaitSuggestion(optionsJSON);
    if (answer === undefined) return;
    if (answer === 'replace') continue;
    await complete(page, answer);
    return;
  }
}

/** Shows the button and the field of the login page in browsers that have passkeys. */
export async function offerPasskeys(page: LoginPage): Promise<void> {
  const button = document.querySelector<HTMLButtonElement>('#passkey');
  const suggestions = document.querySelector<HTMLFormElement>('#passkey-suggestions');
  if (!button || !browserSupportsWebAuthn()) return;
  const canSuggest = suggestions !== null && (await browserSupportsWebAuthnAutofill());

  const suggest = (): void => {
    if (!canSuggest) return;
    suggestPasskeys(page, () => button.disabled).catch((error: unknown) => {
      showPasskeyStatus(describePasskeyError(error), 'failed');
    });
  };

  const useButton = (): void => {
    if (button.disabled) return;
    button.disabled = true;
    signIn(page).catch((error: unknown) => {
      showPasskeyStatus(describePasskeyError(error), 'failed');
      button.disabled = false;
      suggest();
    });
  };

  const section = document.querySelector<HTMLElement>('#passkey-login');
  if (section) section.hidden = false;
  button.hidden = false;
  button.addEventListener('click', useButton);
  if (suggestions && canSuggest) {
    suggestions.hidden = false;
    suggestions.addEventListener('submit', (event) => {
      event.preventDefault();
      useButton();
    });
  }
  suggest();
}
