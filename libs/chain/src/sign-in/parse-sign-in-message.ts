import {
  ethereumSyntax,
  type SignInMessageSyntax,
  solanaSyntax,
  MessageLineReader,
} from './sign-in-message-syntax.js';
import { checkField } from './check-field.js';
import {
  type SignInParseResult,
  SignInMessageError,
  type SignInFields,
  type SignInMessage,
  type SolanaSignInMessage,
} from './sign-in-message.js';

/** Characters; equal to bytes, because only ASCII is valid. */
export const MAX_MESSAGE_LENGTH = 4_096;

/**
 * Parses a message of EIP-4361 by its grammar and the format of its fields. It normalizes nothing, so each message has exactly
 * one text. The caller has to check the values (domain, nonce, times …).
 *
 * The npm package `siwe` parses the same grammar sixty times as slowly and accepts chain id 0, chain ids beyond 2^53 and leap
 * seconds; siwe-compatibility.spec.ts compares both. parseSignInMessageWithSiwe requires that they agree.
 */
export function parseSignInMessage(text: string): SignInParseResult<SignInMessage> {
  return parse(text, ethereumSyntax);
}

/** Parses a message of Sign In With Solana, as strictly as parseSignInMessage. */
export function parseSolanaSignInMessage(text: string): SignInParseResult<SolanaSignInMessage> {
  return parse(text, solanaSyntax);
}

function parse<ChainId>(
  text: string,
  syntax: SignInMessageSyntax<ChainId>,
): SignInParseResult<SignInFields<ChainId>> {
  try {
    return { ok: true, message: parseFields(text, syntax) };
  } catch (error) {
    if (!(error instanceof SignInMessageError)) throw error;
    return { ok: false, problem: { field: error.field, reason: error.reason } };
  }
}

function parseFields<ChainId>(text: string, syntax: SignInMessageSyntax<ChainId>): SignInFields<ChainId> {
  if (text.length > MAX_MESSAGE_LENGTH)
    throw new SignInMessageError('message', `must have at most ${MAX_MESSAGE_LENGTH} characters`);
  const lines = new MessageLineReader(text);
  const origin = readOrigin(lines, syntax);
  const address = lines.take() ?? '';
  if (!syntax.isAddress(address)) throw new SignInMessageError('address', syntax.addressReason);
  const statement = readStatement(lines, syntax);
  const uri = checkField('uri', lines.takeRequired('uri'));
  checkField('version', lines.takeRequired('version'));
  const chainId = syntax.parseChainId(lines.takeRequired('chainId'));
  if (chainId === undefined) throw new SignInMessageError('chainId', syntax.chainIdReason);
  const nonce = checkField('nonce', lines.takeRequired('nonce'));
  const issuedAt = checkField('issuedAt', lines.takeRequired('issuedAt'));
  const expirationTime = readOptional('expirationTime', lines);
  const notBefore = readOptional('notBefore', lines);
  const requestId = readOptional('requestId', lines);
  const resources = readResources(lines);
  lines.expectEnd();
  return {
    ...origin,
    address,
    statement,
    uri,
    chainId,
    nonce,
    issuedAt,
    expirationTime,
    notBefore,
    requestId,
    resources,
  };
}

function readOrigin(
  lines: MessageLineReader,
  { preamble }: SignInMessageSyntax<unknown>,
): Pick<SignInFields<unknown>, 'scheme' | 'domain'> {
  const line = lines.take() ?? '';
  if (!line.endsWith(preamble))
    throw new SignInMessageError('message', `must begin with a domain and “${preamble}”`);
  const origin = line.slice(0, -preamble.length);
  const at = origin.indexOf('://');
  if (at < 0) return { domain: checkField('domain', origin) };
  return {
    scheme: checkField('scheme', origin.slice(0, at)),
    domain: checkField('domain', origin.slice(at + 3)),
  };
}

function readStatement(
  lines: MessageLineReader,
  { emptyLines }: SignInMessageSyntax<unknown>,
): string | undefined {
  if (lines.take() !== '') throw new SignInMessageError('address', 'must be followed by an empty line');
  // The line after next is empty only in a message with a statement.
  const statement =
    lines.peek(1) === '' && (emptyLines === 2 || lines.peek() !== '') ? lines.take() : undefined;
  if (statement !== undefined || emptyLines === 2) lines.takeEmpty('statement');
  return statement === undefined ? undefined : checkField('statement', statement);
}

function readOptional(
  field: 'expirationTime' | 'notBefore' | 'requestId',
  lines: MessageLineReader,
): string | undefined {
  const text = lines.takeOptional(field);
  return text === undefined ? undefined : checkField(field, text);
}

function readResources(lines: MessageLineReader): readonly string[] | undefined {
  const heading = lines.takeOptional('resources');
  if (heading === undefined) return undefined;
  if (heading !== '') throw new SignInMessageError('resources', 'must be on lines of their own');
  const resources: string[] = [];
  while (lines.peek()?.startsWith('- ') === true)
    resources.push(checkField('resources', (lines.take() ?? '').slice(2)));
  return resources;
}
