import { ethereumForm } from './ethereum-form.js';
import { checkField } from './field-rules.js';
import { tags } from './message-lines.js';
import { longestMessage } from './parse-sign-in-message.js';
import { type SignInForm } from './sign-in-form.js';
import {
  SignInFault,
  type SignInFields,
  type SignInMessage,
  type SolanaSignInMessage,
} from './sign-in-message.js';
import { solanaForm } from './solana-form.js';

/** The text to be signed. Throws SignInFault for what would not be read back as it was given. */
export function formatSignInMessage(message: SignInMessage): string {
  return format(message, ethereumForm);
}

/** The text that a wallet makes of the same fields itself. Throws SignInFault for what would not be read back. */
export function formatSolanaSignInMessage(message: SolanaSignInMessage): string {
  return format(message, solanaForm);
}

function format<ChainId extends number | string>(
  message: SignInFields<ChainId>,
  form: SignInForm<ChainId>,
): string {
  const { scheme, address, statement, chainId, resources } = message;
  const domain = checkField('domain', message.domain);
  const origin = scheme === undefined ? domain : `${checkField('scheme', scheme)}://${domain}`;
  if (!form.isAddress(address)) throw new SignInFault('address', form.addressReason);
  if (form.chainIdOf(String(chainId)) !== chainId) throw new SignInFault('chainId', form.chainIdReason);
  const text = [
    `${origin}${form.greeting}`,
    address,
    '',
    ...statementLines(statement, form),
    `${tags.uri}${checkField('uri', message.uri)}`,
    `${tags.version}1`,
    `${tags.chainId}${chainId}`,
    `${tags.nonce}${checkField('nonce', message.nonce)}`,
    `${tags.issuedAt}${checkField('issuedAt', message.issuedAt)}`,
    ...optionalLine('expirationTime', message),
    ...optionalLine('notBefore', message),
    ...optionalLine('requestId', message),
    ...(resources ? [tags.resources] : []),
    ...(resources ?? []).map((resource) => `- ${checkField('resources', resource)}`),
  ].join('\n');
  if (text.length > longestMessage)
    throw new SignInFault('message', `must have at most ${longestMessage} characters`);
  return text;
}

function statementLines(statement: string | undefined, { emptyLines }: SignInForm<unknown>): string[] {
  if (statement === undefined) return emptyLines === 2 ? [''] : [];
  if (statement === '' && emptyLines === 1) throw new SignInFault('statement', 'must not be empty');
  return [checkField('statement', statement), ''];
}

function optionalLine(
  field: 'expirationTime' | 'notBefore' | 'requestId',
  message: SignInFields<unknown>,
): string[] {
  const text = message[field];
  return text === undefined ? [] : [`${tags[field]}${checkField(field, text)}`];
}
