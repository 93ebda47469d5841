import { ethereumSyntax, type SignInMessageSyntax, solanaSyntax } from './sign-in-message-syntax.js';
import { checkField } from './check-field.js';
import { fieldTags } from './message-line-reader.js';
import { MAX_MESSAGE_LENGTH } from './parse-sign-in-message.js';
import {
  SignInMessageError,
  type SignInFields,
  type SignInMessage,
  type SolanaSignInMessage,
} from './sign-in-message.js';

/** The text to be signed. Throws SignInFault for what would not be read back as it was given. */
export function formatSignInMessage(message: SignInMessage): string {
  return format(message, ethereumSyntax);
}

/** The text that a wallet makes of the same fields itself. Throws SignInFault for what would not be read back. */
export function formatSolanaSignInMessage(message: SolanaSignInMessage): string {
  return format(message, solanaSyntax);
}

function format<ChainId extends number | string>(
  message: SignInFields<ChainId>,
  form: SignInMessageSyntax<ChainId>,
): string {
  const { scheme, address, statement, chainId, resources } = message;
  const domain = checkField('domain', message.domain);
  const origin = scheme === undefined ? domain : `${checkField('scheme', scheme)}://${domain}`;
  if (!form.isAddress(address)) throw new SignInMessageError('address', form.addressReason);
  if (form.parseChainId(String(chainId)) !== chainId)
    throw new SignInMessageError('chainId', form.chainIdReason);
  const text = [
    `${origin}${form.preamble}`,
    address,
    '',
    ...statementLines(statement, form),
    `${fieldTags.uri}${checkField('uri', message.uri)}`,
    `${fieldTags.version}1`,
    `${fieldTags.chainId}${chainId}`,
    `${fieldTags.nonce}${checkField('nonce', message.nonce)}`,
    `${fieldTags.issuedAt}${checkField('issuedAt', message.issuedAt)}`,
    ...optionalLine('expirationTime', message),
    ...optionalLine('notBefore', message),
    ...optionalLine('requestId', message),
    ...(resources ? [fieldTags.resources] : []),
    ...(resources ?? []).map((resource) => `- ${checkField('resources', resource)}`),
  ].join('\n');
  if (text.length > MAX_MESSAGE_LENGTH)
    throw new SignInMessageError('message', `must have at most ${MAX_MESSAGE_LENGTH} characters`);
  return text;
}

function statementLines(
  statement: string | undefined,
  { emptyLines }: SignInMessageSyntax<unknown>,
): string[] {
  if (statement === undefined) return emptyLines === 2 ? [''] : [];
  if (statement === '' && emptyLines === 1) throw new SignInMessageError('statement', 'must not be empty');
  return [checkField('statement', statement), ''];
}

function optionalLine(
  field: 'expirationTime' | 'notBefore' | 'requestId',
  message: SignInFields<unknown>,
): string[] {
  const text = message[field];
  return text === undefined ? [] : [`${fieldTags[field]}${checkField(field, text)}`];
}
