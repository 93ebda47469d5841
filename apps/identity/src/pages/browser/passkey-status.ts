import { RequestFailedError } from './post-json.js';

const status = document.querySelector<HTMLElement>('#passkey-status');

export const showPasskeyStatus = (text: string, kind: 'working' | 'failed' | 'plain' = 'plain'): void => {
  if (!status) return;
  status.textContent = text;
  status.dataset['kind'] = kind;
};

/** The errors of WebAuthn by the name of their DOMException. */
const MESSAGES: Record<string, string> = {
  NotAllowedError: 'Nothing happened: the request was declined, or it took too long. Try again.',
  InvalidStateError: 'This device has one of your passkeys already.',
  NotSupportedError: 'This device cannot make passkeys for this page.',
  SecurityError: 'The browser refuses passkeys on this page.',
};

/** Describes an error for the user. */
export function describePasskeyError(error: unknown): string {
  if (error instanceof RequestFailedError) return error.message;
  const name = error instanceof Error ? error.name : '';
  return MESSAGES[name] ?? 'The device could not answer. Try again, or use another device.';
}
