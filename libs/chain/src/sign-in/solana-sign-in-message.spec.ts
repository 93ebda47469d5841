import { describe, expect, it } from '@jest/globals';
import base58 from 'bs58';
import * as fc from 'fast-check';
import { changed, commonFields, optionalFields } from '../../../../test/support/arbitrary-sign-in.js';
import { formatSolanaSignInMessage } from './format-sign-in-message.js';
import { parseSignInMessage, parseSolanaSignInMessage } from './parse-sign-in-message.js';
import { solanaSignInChains, type SolanaSignInMessage } from './sign-in-message.js';

const message: SolanaSignInMessage = {
  domain: 'gatehouse.example',
  address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  uri: 'https://gatehouse.example/',
  chainId: 'mainnet',
  nonce: '12345678',
  issuedAt: '2026-11-20T16:00:00Z',
};
const fields = [
  'URI: https://gatehouse.example/',
  'Version: 1',
  'Chain ID: mainnet',
  'Nonce: 12345678',
  'Issued At: 2026-11-20T16:00:00Z',
];
const head = [
  'gatehouse.example wants you to sign in with your Solana account:',
  '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  '',
];

const arbitrary: fc.Arbitrary<SolanaSignInMessage> = fc.record(
  {
    ...commonFields,
    ...optionalFields,
    statement: optionalFields.statement.filter((text) => text !== ''),
    address: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes)),
    chainId: fc.constantFrom(...solanaSignInChains),
  },
  { requiredKeys: ['domain', 'uri', 'nonce', 'issuedAt', 'address', 'chainId'] },
);

describe('a Sign In With Solana message', () => {
  it('Sign In With Solana message: has one empty line without a statement, as wallets format it', () => {
    const text = [...head, ...fields].join('\n');
    expect(formatSolanaSignInMessage(message)).toBe(text);
    expect(parseSolanaSignInMessage(text)).toEqual({ ok: true, message });
  });

  it('Sign In With Solana message: has its statement between empty lines', () => {
    const text = [...head, 'Sign in.', '', ...fields].join('\n');
    expect(formatSolanaSignInMessage({ ...message, statement: 'Sign in.' })).toBe(text);
    expect(parseSolanaSignInMessage(text)).toEqual({
      ok: true,
      message: { ...message, statement: 'Sign in.' },
    });
  });

  it('Sign In With Solana message: is parsed to the fields that it was formatted from', () => {
    fc.assert(
      fc.property(arbitrary, (given) => {
        expect(parseSolanaSignInMessage(formatSolanaSignInMessage(given))).toEqual({
          ok: true,
          message: given,
        });
      }),
    );
  });

  it('Sign In With Solana message: has exactly one valid text', () => {
    fc.assert(
      fc.property(arbitrary.map(formatSolanaSignInMessage).chain(changed), (text) => {
        const parsed = parseSolanaSignInMessage(text);
        if (parsed.ok) expect(formatSolanaSignInMessage(parsed.message)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  const text = [...head, 'Sign in.', '', ...fields].join('\n');
  it.each([
    ['the empty lines of Ethereum', [...head, '', ...fields].join('\n'), 'uri'],
    ['an empty statement', [...head, '', '', ...fields].join('\n'), 'uri'],
    ['a line break in the statement', text.replace('Sign in.', 'Sign\nin.'), 'uri'],
    ['no address', text.replace(`${message.address}\n`, ''), 'address'],
    [
      'an EVM address',
      text.replace(message.address, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
      'address',
    ],
    ['an address with a 0', text.replace('7EcD', '0EcD'), 'address'],
    [
      'an address of 31 bytes',
      text.replace(message.address, base58.encode(new Uint8Array(31).fill(9))),
      'address',
    ],
    [
      'an address of 33 bytes',
      text.replace(message.address, base58.encode(new Uint8Array(33).fill(9))),
      'address',
    ],
    ['no empty line after the address', text.replace('\n\nSign', '\nSign'), 'address'],
    ['chain id 1', text.replace('mainnet', '1'), 'chainId'],
    ['mainnet-beta', text.replace('mainnet', 'mainnet-beta'), 'chainId'],
    ['a capitalized chain', text.replace('mainnet', 'Mainnet'), 'chainId'],
    ['solana:localnet', text.replace('mainnet', 'solana:localnet'), 'chainId'],
    ['no URI', text.replace(/^URI.*\n/m, ''), 'uri'],
    ['no version', text.replace(/^Version.*\n/m, ''), 'version'],
    ['no chain id', text.replace(/^Chain.*\n/m, ''), 'chainId'],
    ['no nonce', text.replace(/^Nonce.*\n/m, ''), 'nonce'],
    ['no issue time', text.replace(/\nIssued.*$/m, ''), 'issuedAt'],
    ['only domain and address', head.slice(0, 2).join('\n'), 'address'],
    ['the first line of Ethereum', text.replace('Solana', 'Ethereum'), 'message'],
  ])('Sign In With Solana message: is rejected with %s', (_, malformed, field) => {
    expect(parseSolanaSignInMessage(malformed)).toMatchObject({ ok: false, problem: { field } });
  });

  it('Sign In With Solana message: is rejected by the Ethereum parser', () => {
    expect(parseSignInMessage(text).ok).toBe(false);
  });

  it.each([
    ['statement', { statement: '' }],
    ['chainId', { chainId: 'mainnet-beta' as SolanaSignInMessage['chainId'] }],
    ['address', { address: 'abc' }],
  ])('Sign In With Solana message: is not formatted with an invalid %s', (field, others) => {
    expect(() => formatSolanaSignInMessage({ ...message, ...others })).toThrow(
      expect.objectContaining({ field }),
    );
  });
});
