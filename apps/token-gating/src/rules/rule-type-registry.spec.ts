import { describe, expect, it } from '@jest/globals';
import type { ChainInfo, ReadResult } from '@app/chain/evm';
import { type EvmAddress, tokenGatingRule } from '@app/dto';
import fc from 'fast-check';
import type { ChainRead } from './chains/chain.service.js';
import { type ReadPlan, type ReadValue, type ResolvedRule, resolveTokenIds } from './rule-type.js';
import type { RuleServices } from './rule-services.js';
import { getRuleType } from './rule-type-registry.js';
import { ContractKindsService } from './contract-kinds.service.js';
import { StakingAdaptersService } from './staking/staking-adapters.service.js';

const chain: ChainInfo = { id: 1, name: 'One', rpcUrls: [], nativeDecimals: 2, nativeSymbol: 'ONE' };
const contractAddress = `0x${'cc'.repeat(20)}`;
const SOLANA_CHAIN = 8_000_000_000_101;
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const down: ReadResult<never> = { ok: false, permanent: false, code: 'unavailable', message: 'down' };
const DECIMALS = 2n;

const addressOf = (n: number): EvmAddress => `0x${n.toString(16).padStart(40, '0')}`;
const addresses = (count: number) => Array.from({ length: count }, (_, n) => addressOf(n + 1));

const rules = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155'].map((type) => ({
  ...{ type, chainId: 1 },
  ...(type === 'NATIVE' ? {} : { contractAddress }),
  ...(type === 'ERC1155' ? { tokenId: '1-3' } : {}),
}));
rules.push(
  { type: 'SOLANA_FT', chainId: SOLANA_CHAIN, contractAddress: mint },
  { type: 'NATIVE', chainId: SOLANA_CHAIN },
);
const erc721Ids = { type: 'ERC721', chainId: 1, contractAddress, tokenId: '1-8' };
const safe = { type: 'gnosis', chainId: 1, contractAddress };
const query = { requiresMetadata: true, query: 'true' };
const traits = [{ type: 'ERC721', chainId: 1, contractAddress }, erc721Ids].map((rule) => ({
  ...rule,
  ...query,
}));
const vaults = ['erc900', 'erc4626'].map((collectionName) => ({
  ...{ type: 'staking', chainId: 1, contractAddress, collectionName },
}));
const anyRule = fc.constantFrom(...rules);
const thresholds = fc.tuple(fc.nat(12), fc.option(fc.nat(12))).map(([min, more]) => ({
  minToken: String(min),
  ...(more === null ? {} : { maxToken: String(min + more) }),
}));

/** Simulated chain state: the result of each read. */
type World = (read: ChainRead<ReadValue>) => ReadResult<ReadValue>;

/** Equal for equal reads. */
const describeRead = (read: ChainRead<ReadValue>): string =>
  'data' in read ? read.to + read.data : JSON.stringify(read.call);
const isDecimalsRead = (read: ChainRead<ReadValue>): boolean =>
  'data' in read ? read.data === '313ce567' : read.call.kind === 'account' && read.call.address === mint;

const createWorld = (valueOf: (read: ChainRead<ReadValue>) => bigint | EvmAddress | null): World => {
  return (read) => ({ ok: true, value: isDecimalsRead(read) ? Number(DECIMALS) : valueOf(read) });
};

/** A deterministic number below 1,000,003 for a read and a seed. */
const hash = (read: ChainRead<ReadValue>, seed: number) =>
  Array.from(describeRead(read)).reduce(
    (sum, digit) => (sum * 31 + digit.charCodeAt(0)) % 1_000_003,
    seed + 7,
  );

/** The contract of the rules is known: a collection of ERC-721, which the judgements of ERC721 rules read first. */
const contractKinds = new ContractKindsService();
contractKinds.record(1, `0x${'cc'.repeat(20)}`, [
  { ok: true, value: 0 },
  { ok: true, value: true },
  { ok: true, value: false },
]);

const services = {
  stakingAdapters: new StakingAdaptersService({ STAKING_ADAPTERS: [] }),
  contractKinds,
} as unknown as RuleServices;

function planReads(rule: ResolvedRule, owners: readonly string[]): ReadPlan {
  const ruleType = getRuleType(rule);
  if ('planSubject' in ruleType) throw new Error(`${rule.type} rules read several chains`);
  return ruleType.planReads(rule, owners, chain, services);
}

function judge(fields: object, owned: readonly EvmAddress[], world: World): string {
  const rule = resolveTokenIds(tokenGatingRule.parse(fields), undefined);
  const { reads, judge: judged } = planReads(rule, owned);
  return judged(reads.map(world)).kind;
}

const scaled = (fields: object) =>
  'type' in fields && /ERC20|NATIVE|SOLANA_FT/.test(String(fields.type)) ? 100n : 1n;

describe('rule types, for several addresses', () => {
  it('rule types, for several addresses: plan as many reads as countReads returns, shared reads first', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...rules, erc721Ids, safe, ...vaults, ...traits),
        fc.integer({ min: 1, max: 25 }),
        (fields, count) => {
          const rule = resolveTokenIds(tokenGatingRule.parse(fields), undefined);
          const ruleType = getRuleType(rule);
          const [some, one] = [planReads(rule, addresses(count)), planReads(rule, [addressOf(99)])];
          expect(some.reads).toHaveLength(ruleType.countReads(rule, count));
          const sharedOf = ({ reads, sharedReadCount }: typeof some) =>
            reads.slice(0, sharedReadCount).map(describeRead);
          expect(sharedOf(some)).toEqual(sharedOf(one));
          for (const read of some.reads.slice(some.sharedReadCount))
            expect(one.reads.map(describeRead)).not.toContain(describeRead(read));
        },
      ),
    );
  });

  it('rule types, for several addresses: judge the sum of all holdings, in any order', () => {
    fc.assert(
      fc.property(
        anyRule,
        thresholds,
        fc.integer({ min: 1, max: 5 }),
        fc.nat(999),
        (fields, bounds, count, seed) => {
          const world = createWorld((read) => BigInt(hash(read, seed) % 5) * scaled(fields));
          const all = addresses(count);
          const rule = resolveTokenIds(tokenGatingRule.parse({ ...fields, ...bounds }), undefined);
          const { reads, sharedReadCount } = planReads(rule, all);
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

  it('rule types, for several addresses: count a token when any address owns it', () => {
    fc.assert(
      fc.property(thresholds, fc.integer({ min: 1, max: 4 }), fc.nat(999), (bounds, count, seed) => {
        const world = createWorld((read) => addressOf(hash(read, seed) % 7));
        const rule = resolveTokenIds(tokenGatingRule.parse(erc721Ids), undefined);
        const { reads } = planReads(rule, addresses(count));
        const owned = reads.filter((read) => {
          const owner = hash(read, seed) % 7;
          return owner >= 1 && owner <= count;
        }).length;
        const isWithin =
          owned >= Number(bounds.minToken) &&
          (bounds.maxToken === undefined || owned <= Number(bounds.maxToken));
        expect(judge({ ...erc721Ids, ...bounds }, addresses(count), world)).toBe(
          isWithin ? 'granted' : 'not_granted',
        );
      }),
    );
  });

  it('rule types, for several addresses: find an owner of a Safe among any number of addresses', () => {
    const read = fc.constantFrom<ReadResult<bigint>>({ ok: true, value: 0n }, { ok: true, value: 1n }, down);
    fc.assert(
      fc.property(fc.array(read, { minLength: 1, maxLength: 8 }), (results) => {
        const rule = resolveTokenIds(tokenGatingRule.parse(safe), undefined);
        const plan = planReads(rule, addresses(results.length));
        const isOwner = results.some((result) => result.ok && result.value === 1n);
        const otherwise = results.includes(down) ? 'undetermined' : 'not_granted';
        expect(plan.judge(results).kind).toBe(isOwner ? 'granted' : otherwise);
      }),
    );
  });

  it('rule types, for several addresses: are determined despite failed reads only where those cannot change the verdict', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...rules, erc721Ids),
        thresholds,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(999),
        fc.nat(999),
        (fields, bounds, count, seed, failing) => {
          const whole = createWorld((read) =>
            'tokenId' in fields && fields.type === 'ERC721'
              ? addressOf(hash(read, seed) % 7)
              : BigInt(hash(read, seed) % 5) * scaled(fields),
          );
          const partial: World = (read) => (hash(read, failing) % 3 === 0 ? down : whole(read));
          const verdict = judge({ ...fields, ...bounds }, addresses(count), partial);
          if (verdict !== 'undetermined')
            expect(verdict).toBe(judge({ ...fields, ...bounds }, addresses(count), whole));
        },
      ),
      { numRuns: 500 },
    );
  });
});
