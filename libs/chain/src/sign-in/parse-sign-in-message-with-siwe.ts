import { isDeepStrictEqual } from 'node:util';
import { parseSignInMessage } from './parse-sign-in-message.js';
import type { SignInMessage, SignInParseResult } from './sign-in-message.js';

/**
 * Parses as `parseSignInMessage` does, but accepts a message only if the npm package `siwe` parses it to the same
 * fields. Meant for the first use of a message: `siwe` takes about 0.35 ms, and its first call loads it (not ethers,
 * see libs/chain/ethers-stand-in).
 */
export async function parseSignInMessageWithSiwe(
  text: string,
  parseOther: (text: string) => Promise<object | undefined> = parseWithSiwe,
): Promise<SignInParseResult<SignInMessage>> {
  // The own parser runs first because it also bounds the length of what siwe has to parse.
  const parsed = parseSignInMessage(text);
  if (!parsed.ok || isDeepStrictEqual(await parseOther(text), definedFields(parsed.message))) return parsed;
  return { ok: false, problem: { field: 'message', reason: 'must be a message of EIP-4361' } };
}

async function parseWithSiwe(text: string): Promise<object | undefined> {
  const { SiweMessage } = await import('siwe');
  try {
    const { version, ...fields } = new SiweMessage(text);
    return version === '1' ? definedFields(fields) : undefined;
  } catch {
    return undefined;
  }
}

const definedFields = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
