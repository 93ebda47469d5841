import {
  ethereumSyntax,
  type SignInMessageSyntax,
  solanaSyntax,
  fieldTags,
} from './sign-in-message-syntax.js';
import { checkField } from './check-field.js';
import { MAX_MESSAGE_LENGTH } from './parse-sign-in-message.js';
import {
  SignInMessageError,
  type SignInFields,
  type SignInMessage,
  type SolanaSignInMessage,
} from './sign-in-message.js';

/** The text to sign (EIP-4361). Throws SignInMessageError if parsing it would not give the same fields. */
export function formatSignInMessage(message: SignInMessage): string {
  return format(message, ethereumSyntax);
}

/** The text to sign (Sign In With Solana), equal to the one that wallets build from the same fields. Throws SignInMessageError likewise. */
export function formatSolanaSignInMessage(message: SolanaSignInMessage): string {
  return format(message, solanaSyntax);
}

function format<ChainId extends number | string>(
  message: SignInFields<ChainId>,
  syntax: SignInMessageSyntax<ChainId>,
): string {
  const { scheme, address, statement, chainId, resources } = message;
  const domain = checkField('domain', message.domain);
  const origin = scheme === undefined ? domain : `${checkField('scheme', scheme)}://${domain}`;
  if (!syntax.isAddress(address)) throw new SignInMessageError('address', syntax.addressReason);
  if (syntax.parseChainId(String(chainId)) !== chainId)
    throw new SignInMessageError('chainId', syntax.chainIdReason);
  const text = [
    `${origin}${syntax.preamble}`,
    address,
    '',
    ...statementLines(statement, syntax),
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
