import { describePasskeyError, showPasskeyStatus } from './passkey-status.js';
import { browserSupportsWebAuthn, startRegistration } from './passkeys.vendor.js';
import { postJson } from './post-json.js';

type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

const container = document.querySelector<HTMLElement>('#passkeys');
const button = document.querySelector<HTMLButtonElement>('#add-passkey');
const { csrf = '' } = container?.dataset ?? {};

/** The name of the system by a part of the browser's `User-Agent`. Android says that it is Linux, too. */
const PLATFORMS = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

const findPlatform = (): string | undefined =>
  PLATFORMS.find(([part]) => navigator.userAgent.includes(part))?.[1];

async function addPasskey(): Promise<void> {
  showPasskeyStatus('Waiting for your device …', 'working');
  const optionsJSON = await postJson<CreationOptions>('/portal/passkeys/options', csrf, {});
  const response = await startRegistration({ optionsJSON });
  await postJson('/portal/passkeys', csrf, {
    userHandle: optionsJSON.user.id,
    response,
    platform: findPlatform(),
  });
  window.location.reload();
}

if (button && browserSupportsWebAuthn()) {
  button.hidden = false;
  button.addEventListener('click', () => {
    button.disabled = true;
    addPasskey().catch((error: unknown) => {
      showPasskeyStatus(describePasskeyError(error), 'failed');
      button.disabled = false;
    });
  });
} else {
  showPasskeyStatus('This browser has no passkeys. Use another one, or a newer one.', 'failed');
}
