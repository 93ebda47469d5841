import { ethereumForm } from './ethereum-form.js';
import { checkField } from './field-rules.js';
import { MessageLines } from './message-lines.js';
import { type SignInForm } from './sign-in-form.js';
import {
  type ParsedSignIn,
  SignInFault,
  type SignInFields,
  type SignInMessage,
  type SolanaSignInMessage,
} from './sign-in-message.js';
import { solanaForm } from './solana-form.js';

/** Characters, which are bytes: nothing beyond ASCII passes. */
export const longestMessage = 4_096;

/**
 * Reads a message of EIP-4361 by its grammar and by what its fields have to be; nothing is mended, so that no two texts of
 * different meaning are read alike. What the fields should say (domain, nonce, times …) is the caller's question.
 *
 * The parser of the npm package `siwe` reads the same grammar sixty times as slowly, loads ethers, and lets chain id 0, chain
 * ids beyond 2^53 and leap seconds pass; siwe-agrees.spec.ts holds the two together.
 */
export function parseSignInMessage(text: string): ParsedSignIn<SignInMessage> {
  return parse(text, ethereumForm);
}

/** The same for Sign In With Solana. */
export function parseSolanaSignInMessage(text: string): ParsedSignIn<SolanaSignInMessage> {
  return parse(text, solanaForm);
}

function parse<ChainId>(text: string, form: SignInForm<ChainId>): ParsedSignIn<SignInFields<ChainId>> {
  try {
    return { ok: true, message: read(text, form) };
  } catch (error) {
    if (!(error instanceof SignInFault)) throw error;
    return { ok: false, problem: { field: error.field, reason: error.reason } };
  }
}

function read<ChainId>(text: string, form: SignInForm<ChainId>): SignInFields<ChainId> {
  if (text.length > longestMessage)
    throw new SignInFault('message', `must have at most ${longestMessage} characters`);
  const lines = new MessageLines(text);
  const origin = readOrigin(lines, form);
  const address = lines.take() ?? '';
  if (!form.isAddress(address)) throw new SignInFault('address', form.addressReason);
  const statement = readStatement(lines, form);
  const uri = checkField('uri', lines.required('uri'));
  checkField('version', lines.required('version'));
  const chainId = form.chainIdOf(lines.required('chainId'));
  if (chainId === undefined) throw new SignInFault('chainId', form.chainIdReason);
  const nonce = checkField('nonce', lines.required('nonce'));
  const issuedAt = checkField('issuedAt', lines.required('issuedAt'));
  const expirationTime = readOptional('expirationTime', lines);
  const notBefore = readOptional('notBefore', lines);
  const requestId = readOptional('requestId', lines);
  const resources = readResources(lines);
  lines.end();
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
  lines: MessageLines,
  { greeting }: SignInForm<unknown>,
): Pick<SignInFields<unknown>, 'scheme' | 'domain'> {
  const line = lines.take() ?? '';
  if (!line.endsWith(greeting))
    throw new SignInFault('message', `must begin with a domain and “${greeting}”`);
  const origin = line.slice(0, -greeting.length);
  const at = origin.indexOf('://');
  if (at < 0) return { domain: checkField('domain', origin) };
  return {
    scheme: checkField('scheme', origin.slice(0, at)),
    domain: checkField('domain', origin.slice(at + 3)),
  };
}

function readStatement(lines: MessageLines, { emptyLines }: SignInForm<unknown>): string | undefined {
  if (lines.take() !== '') throw new SignInFault('address', 'must be followed by an empty line');
  // An empty line after the next one: no message without a statement has one there.
  const statement =
    lines.peek(1) === '' && (emptyLines === 2 || lines.peek() !== '') ? lines.take() : undefined;
  if (statement !== undefined || emptyLines === 2) lines.takeEmpty('statement');
  return statement === undefined ? undefined : checkField('statement', statement);
}

function readOptional(
  field: 'expirationTime' | 'notBefore' | 'requestId',
  lines: MessageLines,
): string | undefined {
  const text = lines.optional(field);
  return text === undefined ? undefined : checkField(field, text);
}

function readResources(lines: MessageLines): readonly string[] | undefined {
  const heading = lines.optional('resources');
  if (heading === undefined) return undefined;
  if (heading !== '') throw new SignInFault('resources', 'must stand on lines of their own');
  const resources: string[] = [];
  while (lines.peek()?.startsWith('- ') === true)
    resources.push(checkField('resources', (lines.take() ?? '').slice(2)));
  return resources;
}
