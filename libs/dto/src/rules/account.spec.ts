import { describe, expect, it } from '@jest/globals';
import { account } from './account.js';

const evm = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const solana = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';

describe('account', () => {
  it.each([evm, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'])(
    'account: parses %s as an EVM account of every chain',
    (text) => {
      expect(account.parse(text)).toEqual({ family: 'evm', address: evm });
    },
  );

  it.each([1, 137, 999_999_999_999_999])('account: parses an EVM account that names chain %d', (chainId) => {
    expect(account.parse(`eip155:${chainId}:${evm}`)).toEqual({ family: 'evm', address: evm, chainId });
  });

  it.each([solana, '11111111111111111111111111111111', `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${solana}`])(
    'account: parses %s as a Solana account',
    (text) => {
      expect(account.parse(text)).toEqual({ family: 'solana', address: text.split(':').at(-1) });
    },
  );

  it.each(['2f1c1a52-9c54-4a3c-8d0e-8a1f0a3f3f01', 'user_42', '1'.repeat(31)])(
    'account: parses %s as a user id',
    (text) => {
      expect(account.parse(text)).toEqual({ family: 'user', id: text });
    },
  );

  it.each([
    '',
    '0x12',
    '0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
    `eip155:0:${evm}`,
    `eip155:main:${evm}`,
    'eip155:1:0x12',
    `eip155:1:${solana}`,
    `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${evm}`,
    'cosmos:cosmoshub-3:cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0',
    ':',
    'someone.eth',
    ' user',
    'a'.repeat(129),
  ])('account: rejects %j', (text) => {
    expect(account.safeParse(text).success).toBe(false);
  });
});
