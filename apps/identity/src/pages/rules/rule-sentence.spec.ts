import { describe, expect, it } from '@jest/globals';
import { RULE_TYPES, type RuleTypeName, toChecksumAddress } from '@app/dto';
import fc from 'fast-check';
import { findCollectionsByName, KNOWN_COLLECTIONS } from './known-collections.js';
import {
  createRuleNames,
  describeRule,
  groupDigits,
  isMetByEverybody,
  toLine,
  withContracts,
} from './rule-sentence.js';

const APES = '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D';
const TOKEN = `0x${'ab'.repeat(20)}`;
const MINT = 'J1S9H3QjnRtBbbuD4HjPV6RpRhwuk4zKbxsnCHuTgh9w';
const CLUSTER = 8_000_000_000_101;

const names = createRuleNames([
  { chainId: 1, name: 'Ethereum', nativeSymbol: 'ETH' },
  { chainId: CLUSTER, name: 'Solana', nativeSymbol: 'SOL' },
]);
const say = (rule: object) => toLine(describeRule({ roleId: 'whale', ...rule }, names));

const apes = { type: 'ERC721', chainId: 1, contractAddress: APES };
const coins = { type: 'NATIVE', chainId: 1, minToken: '0.5' };

const SENTENCES: Readonly<Record<RuleTypeName, readonly (readonly [object, string])[]>> = {
  NATIVE: [
    [coins, 'hold at least 0.5 ETH on Ethereum'],
    [{ ...coins, minToken: '1000', maxToken: '25000.5' }, 'hold 1,000 to 25,000.5 ETH on Ethereum'],
    [{ ...coins, chainId: 8453 }, 'hold at least 0.5 coins on Base'],
    [{ ...coins, chainId: CLUSTER }, 'hold at least 0.5 SOL on Solana'],
  ],
  ERC20: [
    [
      { type: 'ERC20', chainId: 1, contractAddress: TOKEN },
      'hold at least 1 token of 0xABaB…ABaB on Ethereum',
    ],
    [
      {
        type: 'ERC20',
        chainId: 1,
        contractAddress: TOKEN,
        minToken: '100',
        name: 'Gold',
        tokenSymbol: 'GLD',
      },
      'hold at least 100 GLD on Ethereum',
    ],
    [
      { type: 'ERC20', chainId: 1, contractAddress: TOKEN, minToken: '0', maxToken: '5', name: 'Gold' },
      'hold at most 5 tokens of Gold on Ethereum',
    ],
    [
      {
        type: 'ERC20',
        chainId: 1,
        contractAddress: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
        minToken: '100',
      },
      'hold at least 100 USDC on Ethereum',
    ],
  ],
  ERC721: [
    [apes, 'hold at least 1 NFT of Bored Ape Yacht Club on Ethereum'],
    [
      { asset: `eip155:1/erc721:${APES}/8817` },
      'hold at least 1 NFT with the number 8817 of Bored Ape Yacht Club on Ethereum',
    ],
    [{ ...apes, minToken: '3', maxToken: '3' }, 'hold exactly 3 NFTs of Bored Ape Yacht Club on Ethereum'],
    [{ ...apes, minToken: '0', maxToken: '0' }, 'hold no NFTs of Bored Ape Yacht Club on Ethereum'],
    [
      { ...apes, tokenId: '42-69,1,2' },
      'hold at least 1 NFT with one of the numbers 1 to 2 and 42 to 69 of Bored Ape Yacht Club on Ethereum',
    ],
    [
      { ...apes, tokenId: 'https://lists.example/rare.txt' },
      'hold at least 1 NFT from the list at lists.example of Bored Ape Yacht Club on Ethereum',
    ],
    [
      { ...apes, requiresMetadata: true, query: 'true' },
      'hold at least 1 NFT of Bored Ape Yacht Club on Ethereum, if their properties fit what the rule asks for',
    ],
    [
      { ...apes, delegations: 'delegate.xyz' },
      'hold at least 1 NFT of Bored Ape Yacht Club on Ethereum (what a vault holds counts too, if it names the wallet as its delegate at delegate.xyz)',
    ],
    [
      { ...apes, tokenId: '1,3,5,7,9,11,13,15,17,19' },
      'hold at least 1 NFT with one of the numbers 1, 3, 5, 7, 9, 11, 13, 15 and 2 more of Bored Ape Yacht Club on Ethereum',
    ],
  ],
  ERC1155: [
    [
      { type: 'ERC1155', chainId: 1, contractAddress: TOKEN, tokenId: '7', minToken: '5', name: 'Badges' },
      'hold at least 5 tokens with the number 7 of Badges on Ethereum',
    ],
  ],
  SOLANA_FT: [
    [
      { type: 'SOLANA_FT', chainId: CLUSTER, contractAddress: MINT, minToken: '2.5', tokenSymbol: 'BONK' },
      'hold at least 2.5 BONK on Solana',
    ],
  ],
  SOLANA_NFT: [
    [
      { type: 'SOLANA_NFT', chainId: CLUSTER, contractAddress: 'collection', tokenId: MINT },
      'hold at least 1 NFT of the collection J1S9H3…gh9w on Solana',
    ],
  ],
  gnosis: [
    [
      { type: 'gnosis', chainId: 1, contractAddress: TOKEN },
      'are an owner of the Safe 0xABaB…ABaB on Ethereum',
    ],
  ],
  staking: [
    [
      { type: 'staking', chainId: 1, contractAddress: TOKEN, collectionName: 'erc900', minToken: '250' },
      'have staked at least 250 tokens in 0xABaB…ABaB on Ethereum',
    ],
  ],
  OPEN_SEA: [
    [
      { type: 'OPEN_SEA', collectionName: 'doodles-official', minToken: '3' },
      'hold at least 3 items of the collection doodles-official at OpenSea',
    ],
  ],
  POAP: [[{ type: 'POAP', eventId: '4242' }, 'hold at least 1 POAP of the event 4242']],
  ALLOWLIST: [
    [{ type: 'ALLOWLIST', accounts: [TOKEN, APES] }, 'are one of the 2 addresses on a list'],
    [{ type: 'ALLOWLIST', accountCount: 1000 }, 'are one of the 1,000 addresses on a list'],
    [{ type: 'ALLOWLIST', accountCount: 1 }, 'are the one address on a list'],
  ],
  CONTRACT_READ: [
    [
      {
        ...{
          type: 'CONTRACT_READ',
          chainId: 1,
          contractAddress: TOKEN,
          name: 'Club',
          arguments: ['$account'],
        },
        function: 'function getHasValidKey(address) view returns (bool)',
      },
      'are someone for whom getHasValidKey of Club on Ethereum returns true',
    ],
  ],
};

describe('rules in words', () => {
  it('describeRule: puts every rule type into words', () => {
    for (const type of RULE_TYPES)
      for (const [rule, sentence] of SENTENCES[type]) expect(say(rule)).toBe(sentence);
  });

  it('describeRule: puts groups into words, one within another too', () => {
    expect(say({ allOf: [apes, coins] })).toBe(
      'meet all of these: hold at least 1 NFT of Bored Ape Yacht Club on Ethereum; hold at least 0.5 ETH on Ethereum',
    );
    expect(say({ anyOf: [apes, coins] })).toMatch(/^meet at least one of these: hold .*; hold /);
    expect(say({ atLeast: { count: 2, of: [apes, coins, coins] } })).toMatch(
      /^meet at least 2 of these 3: hold /,
    );
    expect(say({ not: apes })).toBe('do not hold at least 1 NFT of Bored Ape Yacht Club on Ethereum');
    expect(say({ not: { anyOf: [apes, coins] } })).toMatch(/^meet none of these: hold .*; hold /);
    expect(say({ allOf: [coins, { anyOf: [apes, { not: coins }] }] })).toBe(
      'meet all of these: hold at least 0.5 ETH on Ethereum; (meet at least one of these: hold at least 1 NFT of Bored Ape Yacht Club ' +
        'on Ethereum; do not hold at least 0.5 ETH on Ethereum)',
    );
    expect(say({ not: { not: coins } })).toBe('do not meet this: do not hold at least 0.5 ETH on Ethereum');
  });

  it('describeRule: says of a rule that it cannot read that it cannot, and tells the others', () => {
    const fallback = 'meet a rule of the kind FUTURE_TYPE, which this page cannot put into words';
    expect(say({ type: 'FUTURE_TYPE' })).toBe(fallback);
    expect(say({ type: '<b>' })).toBe('meet a rule that this page cannot put into words');
    expect(say({ allOf: [coins, { type: 'FUTURE_TYPE' }] })).toBe(
      `meet all of these: hold at least 0.5 ETH on Ethereum; ${fallback}`,
    );
    expect(toLine(describeRule(null, names))).toBe('meet a rule that this page cannot put into words');
  });

  it('describeRule: answers any JSON, in lines without control characters', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, label) => {
        expect(typeof say({ anyOf: [value] })).toBe('string');
        expect(say({ ...apes, name: label })).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u);
      }),
    );
  });

  it('describeRule: names the contract with its checksum', () => {
    const { contract } = describeRule({ ...apes, contractAddress: APES.toLowerCase() }, names);
    expect(contract).toEqual({ chainName: 'Ethereum', address: APES });
  });

  it('groupDigits: groups the digits before the point only', () => {
    expect(['1', '1000', '1234567.8901'].map(groupDigits)).toEqual(['1', '1,000', '1,234,567.8901']);
  });

  it('findCollectionsByName: finds what people type, and addresses in the table have their checksums', () => {
    const find = (name: string) => findCollectionsByName(name).map((one) => one.name);
    expect(find('Bored Apes')).toEqual(['Bored Ape Yacht Club']);
    expect(find('bayc')).toEqual(['Bored Ape Yacht Club']);
    expect(find('CryptoPunks')).toEqual(['CryptoPunks']);
    expect(find('bored ape k')).toEqual(['Bored Ape Kennel Club']);
    expect(findCollectionsByName('usdc').length).toBeGreaterThan(3);
    expect(find('')).toEqual([]);
    expect(find('no such thing')).toEqual([]);
    for (const { chainId, address } of KNOWN_COLLECTIONS)
      if (address.startsWith('0x')) expect([chainId, toChecksumAddress(address)]).toEqual([chainId, address]);
  });

  it('describeRule: gives the name of a well-known collection to its own contract alone, whatever was noted', () => {
    const fake = { ...apes, contractAddress: TOKEN };
    for (const name of ['Bored Ape Yacht Club', ' bored apes', 'BAYC', 'USDC'])
      expect(say({ ...fake, name, tokenSymbol: name })).toBe(
        'hold at least 1 NFT of 0xABaB…ABaB on Ethereum',
      );
    expect(say({ ...apes, name: 'Rare Birds' })).toBe(
      'hold at least 1 NFT of Bored Ape Yacht Club on Ethereum',
    );
  });

  it('withContracts: says which contract is meant beside each name, which an administrator may have made up', () => {
    const sayAll = (rule: object) => toLine(withContracts(describeRule({ roleId: 'whale', ...rule }, names)));
    const fake = { ...apes, contractAddress: TOKEN };
    expect(sayAll({ anyOf: [{ ...fake, name: 'Bored Club' }, coins, apes, fake] })).toBe(
      'meet at least one of these: hold at least 1 NFT of Bored Club on Ethereum (contract 0xABaB…ABaB); ' +
        'hold at least 0.5 ETH on Ethereum; ' +
        'hold at least 1 NFT of Bored Ape Yacht Club on Ethereum (contract 0xBC4C…f13D); ' +
        'hold at least 1 NFT of 0xABaB…ABaB on Ethereum',
    );
  });

  it('isMetByEverybody: finds rules that ask for nothing, alone and within others', () => {
    const nothing = { ...coins, minToken: '0' };
    const inRange = { ...nothing, maxToken: '5' };
    for (const rule of [
      nothing,
      { roleId: 'whale', ...nothing },
      { ...apes, minToken: '0' },
      { allOf: [nothing, nothing] },
      { anyOf: [coins, nothing] },
      { atLeast: { count: 1, of: [coins, nothing] } },
    ])
      expect([rule, isMetByEverybody(rule)]).toEqual([rule, true]);
    for (const rule of [
      coins,
      inRange,
      apes,
      { not: nothing },
      { allOf: [nothing, coins] },
      { anyOf: [coins, inRange] },
      { atLeast: { count: 2, of: [coins, nothing] } },
      { type: 'unknown', minToken: '0' },
      'nothing',
    ])
      expect([rule, isMetByEverybody(rule)]).toEqual([rule, false]);
  });
});
