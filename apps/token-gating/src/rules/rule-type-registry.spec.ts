import { describe, expect, it } from '@jest/globals';
import type { ChainInfo, ReadResult, ContractRead } from '@app/chain/evm';
import { type EvmAddress, tokenGatingRule } from '@app/dto';
import fc from 'fast-check';
import { resolveTokenIds } from './resolved-rule.js';
import type { ReadValue } from './rule-type.js';
import { getRuleType } from './rule-type-registry.js';

const chain: ChainInfo = { id: 1, name: 'One', rpcUrls: [], nativeDecimals: 2, nativeSymbol: 'ONE' };
const contractAddress = `0x${'cc'.repeat(20)}`;
const down: ReadResult<never> = { ok: false, permanent: false, code: 'unavailable', message: 'down' };
const DECIMALS = 2n;

const holderNumber = (n: number): EvmAddress => `0x${n.toString(16).padStart(40, '0')}`;
const holders = (count: number) => Array.from({ length: count }, (_, n) => holderNumber(n + 1));

const rules = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155'].map((type) => ({
  ...{ type, chainId: 1 },
  ...(type === 'NATIVE' ? {} : { contractAddress }),
  ...(type === 'ERC1155' ? { tokenId: '1-3' } : {}),
}));
const ofTokens = { type: 'ERC721', chainId: 1, contractAddress, tokenId: '1-8' };
const anyRule = fc.constantFrom(...rules);
const thresholds = fc.tuple(fc.nat(12), fc.option(fc.nat(12))).map(([min, more]) => ({
  minToken: String(min),
  ...(more === null ? {} : { maxToken: String(min + more) }),
}));

/** What the chain says: decimals of the token, and of each other read what it is worked out to be from the read itself. */
type World = (read: ContractRead<ReadValue>) => ReadResult<ReadValue>;

const worldOf = (valueOf: (read: ContractRead<ReadValue>) => bigint | EvmAddress | null): World => {
  return (read) => ({ ok: true, value: read.data === '313ce567' ? Number(DECIMALS) : valueOf(read) });
};

/** A small number that follows from the read and a seed. */
const hash = ({ data }: ContractRead<ReadValue>, seed: number) =>
  Array.from(data).reduce((sum, digit) => (sum * 31 + digit.charCodeAt(0)) % 1_000_003, seed + 7);

function judge(fields: object, addresses: readonly EvmAddress[], world: World): string {
  const rule = resolveTokenIds(tokenGatingRule.parse(fields), undefined);
  const { reads, judge: judged } = getRuleType(rule).planReads(rule, addresses, chain);
  return judged(reads.map(world)).kind;
}

const scaled = (fields: object) => ('type' in fields && /ERC20|NATIVE/.test(String(fields.type)) ? 100n : 1n);

describe('a rule for several holders', () => {
  it('makes as many reads as it says, those that all share first', () => {
    fc.assert(
      fc.property(fc.constantFrom(...rules, ofTokens), fc.integer({ min: 1, max: 25 }), (fields, count) => {
        const rule = resolveTokenIds(tokenGatingRule.parse(fields), undefined);
        const ruleType = getRuleType(rule);
        const [some, one] = [
          ruleType.planReads(rule, holders(count), chain),
          ruleType.planReads(rule, [holderNumber(99)], chain),
        ];
        expect(some.reads).toHaveLength(ruleType.countReads(rule, count));
        const sharedOf = ({ reads, sharedReadCount }: typeof some) =>
          reads.slice(0, sharedReadCount).map(({ data }) => data);
        expect(sharedOf(some)).toEqual(sharedOf(one));
        for (const { data } of some.reads.slice(some.sharedReadCount))
          expect(one.reads.map((read) => read.data)).not.toContain(data);
      }),
    );
  });

  it('judges the sum of what each holds, in any order', () => {
    fc.assert(
      fc.property(
        anyRule,
        thresholds,
        fc.integer({ min: 1, max: 5 }),
        fc.nat(999),
        (fields, bounds, count, seed) => {
          const world = worldOf((read) => BigInt(hash(read, seed) % 5) * scaled(fields));
          const all = holders(count);
          const rule = resolveTokenIds(tokenGatingRule.parse({ ...fields, ...bounds }), undefined);
          const { reads, sharedReadCount } = getRuleType(rule).planReads(rule, all, chain);
          const held = reads.slice(sharedReadCount).reduce((sum, read) => {
            const outcome = world(read);
            return outcome.ok && typeof outcome.value === 'bigint' ? sum + outcome.value : sum;
          }, 0n);
          const [min, max] = [BigInt(bounds.minToken), bounds.maxToken];
          const isWithin =
            held >= min * scaled(fields) && (max === undefined || held <= BigInt(max) * scaled(fields));
          expect(judge({ ...fields, ...bounds }, all, world)).toBe(isWithin ? 'granted' : 'not_granted');
          expect(judge({ ...fields, ...bounds }, [...all].reverse(), world)).toBe(
            isWithin ? 'granted' : 'not_granted',
          );
        },
      ),
    );
  });

  it('counts a token when any of them owns it', () => {
    fc.assert(
      fc.property(thresholds, fc.integer({ min: 1, max: 4 }), fc.nat(999), (bounds, count, seed) => {
        const world = worldOf((read) => holderNumber(hash(read, seed) % 7));
        const rule = resolveTokenIds(tokenGatingRule.parse(ofTokens), undefined);
        const { reads } = getRuleType(rule).planReads(rule, holders(count), chain);
        const owned = reads.filter((read) => {
          const owner = hash(read, seed) % 7;
          return owner >= 1 && owner <= count;
        }).length;
        const isWithin =
          owned >= Number(bounds.minToken) &&
          (bounds.maxToken === undefined || owned <= Number(bounds.maxToken));
        expect(judge({ ...ofTokens, ...bounds }, holders(count), world)).toBe(
          isWithin ? 'granted' : 'not_granted',
        );
      }),
    );
  });

  it('is told without a read that failed only where that could change nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...rules, ofTokens),
        thresholds,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(999),
        fc.nat(999),
        (fields, bounds, count, seed, failing) => {
          const whole = worldOf((read) =>
            'tokenId' in fields && fields.type === 'ERC721'
              ? holderNumber(hash(read, seed) % 7)
              : BigInt(hash(read, seed) % 5) * scaled(fields),
          );
          const patchy: World = (read) => (hash(read, failing) % 3 === 0 ? down : whole(read));
          const told = judge({ ...fields, ...bounds }, holders(count), patchy);
          if (told !== 'undetermined')
            expect(told).toBe(judge({ ...fields, ...bounds }, holders(count), whole));
        },
      ),
      { numRuns: 500 },
    );
  });
});
