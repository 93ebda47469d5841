import { describe, expect, it } from '@jest/globals';
import { account } from './account.js';
import { assetId } from './asset-id.js';
import { evmAddress, findAddressProblem } from './evm-address.js';
import { tokenGatingRule } from './token-gating-rule.js';

/** Test cases of ERC-55. */
const checksummed = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

describe('evmAddress', () => {
  it.each(checksummed)(
    'evmAddress: converts %s to lower case, with its checksum and in a single case',
    (address) => {
      const upper = `0x${address.slice(2).toUpperCase()}`;
      const lower = address.toLowerCase();
      for (const text of [address, upper, lower]) expect(evmAddress.parse(text)).toBe(lower);
    },
  );

  it.each(checksummed.slice(2))('evmAddress: rejects %s with one letter in the wrong case', (address) => {
    const at = address.search(/[A-F]/);
    const wrong = address.slice(0, at) + address.charAt(at).toLowerCase() + address.slice(at + 1);
    expect(evmAddress.safeParse(wrong).error?.issues[0]?.message).toMatch(/checksum/);
  });

  it.each([
    '',
    '0x',
    '0x12',
    `0X${'a'.repeat(40)}`,
    'a'.repeat(40),
    `0x${'a'.repeat(41)}`,
    `0x${'g'.repeat(40)}`,
    ` 0x${'a'.repeat(40)}`,
  ])('evmAddress: rejects %j', (text) => {
    expect(evmAddress.safeParse(text).success).toBe(false);
  });
});

describe('a checksum of EIP-1191', () => {
  const ofMainnet = [
    '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD',
    '0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359',
  ];
  const ofTestnet = [
    '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd',
    '0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359',
  ];

  it('findAddressProblem: accepts a checksum of EIP-1191 for its own chain only', () => {
    for (const address of ofMainnet) {
      expect(findAddressProblem(address, [30])).toBeUndefined();
      for (const chainIds of [[], [1], [31]])
        expect(findAddressProblem(address, chainIds)).toMatch(/checksum/);
    }
    for (const address of ofTestnet) expect(findAddressProblem(address, [31])).toBeUndefined();
    expect(evmAddress.safeParse(ofMainnet[0]).success).toBe(false);
  });

  const address = ofMainnet[0] ?? '';
  const lower = address.toLowerCase();

  it.each(['ERC20', 'ERC721', 'ERC1155', 'gnosis'])(
    'tokenGatingRule: accepts a checksum of EIP-1191 in a rule of type %s for the chain of the rule only',
    (type) => {
      const rule = { type, contractAddress: address, ...(type === 'ERC1155' ? { tokenId: '1' } : {}) };
      expect(tokenGatingRule.parse({ ...rule, chainId: 30 })).toMatchObject({ contractAddress: lower });
      for (const chainId of [1, 31]) {
        const { issues } = tokenGatingRule.safeParse({ ...rule, chainId }).error ?? { issues: [] };
        expect(issues).toMatchObject([
          { path: ['contractAddress'], message: expect.stringMatching(/checksum/) },
        ]);
      }
    },
  );

  it('tokenGatingRule, assetId: accept a checksum of EIP-1191 in an asset id for its chain only', () => {
    const asset = (chainId: number) => `eip155:${chainId}/erc721:${address}`;
    expect(tokenGatingRule.parse({ asset: asset(30) })).toMatchObject({ contractAddress: lower });
    expect(assetId.parse(asset(30))).toMatchObject({ rule: { contractAddress: lower } });
    for (const chainId of [1, 31]) {
      expect(tokenGatingRule.safeParse({ asset: asset(chainId) }).success).toBe(false);
      expect(assetId.safeParse(asset(chainId)).error?.issues[0]?.message).toMatch(
        /contractAddress.*checksum/,
      );
    }
  });

  it('account: accepts a checksum of EIP-1191 in a CAIP-10 id for its chain only, and in a plain address', () => {
    expect(account.parse(`eip155:30:${address}`)).toMatchObject({ address: lower, chainId: 30 });
    expect(account.parse(address)).toEqual({ family: 'evm', address: lower });
    for (const chainId of [1, 31])
      expect(account.safeParse(`eip155:${chainId}:${address}`).success).toBe(false);
  });
});
