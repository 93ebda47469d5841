import { describe, expect, it } from '@jest/globals';
import { createReadFailure, type ReadResult } from '@app/chain/evm';
import type { SolanaNft, SolanaRead } from '@app/chain/solana';
import { tokenGatingRule, type SolanaNftRule } from '@app/dto';
import base58 from 'bs58';
import fc from 'fast-check';
import type { Chain } from './chains/chain.service.js';
import { MAX_ENUMERATED_TOKENS } from './rule-failures.js';
import type { RuleServices } from './rule-services.js';
import { isNextStep, type ReadValue } from './rule-type.js';
import type { Verdict } from './verdict.js';
import { solanaNft } from './solana-nft.js';

/** A rule has 8 further steps, of which one is for metadata. */
const MAX_READ_STEPS = 7;
const DEVNET = 8_000_000_000_103;
const toAddress = (number: number): string => {
  const bytes = new Uint8Array(32).fill(7);
  new DataView(bytes.buffer).setUint32(0, number);
  return base58.encode(bytes);
};
const KEYS = [1, 2, 3].map(toAddress);
const [first = '', second = '', third = ''] = KEYS;
const chain = { id: DEVNET } as Chain;
const services = { solanaCore: { sources: new Map() } } as unknown as RuleServices;
const servicesWithCore = {
  solanaCore: { sources: new Map([[DEVNET, { mode: 'rpc' }]]) },
} as unknown as RuleServices;

interface Cluster {
  /** The mints that each owner holds one unit of, of one token program; null for too many. */
  readonly lists: ReadonlyMap<string, readonly string[] | null>;
  readonly nfts: ReadonlyMap<string, SolanaNft>;
  /** Mints and owners that cannot be read. */
  readonly failing: ReadonlySet<string>;
}

const failure = createReadFailure('unavailable', 'no node');

function answer({ call }: SolanaRead<ReadValue>, { lists, nfts, failing }: Cluster): ReadResult<ReadValue> {
  if (call.kind === 'nft')
    return failing.has(call.mint) ? failure : { ok: true, value: nfts.get(call.mint) ?? null };
  if (call.kind === 'core_assets') return { ok: true, value: [] };
  if (call.kind !== 'single_units') throw new Error('another read');
  if (failing.has(call.owner)) return failure;
  const isToken = call.programId.startsWith('Tokenkeg');
  const list = lists.get(call.owner);
  return { ok: true, value: isToken && list !== undefined ? list : [] };
}

/** Takes a rule to its verdict. @returns also the number of NFTs that were read, and of rounds */
function judge(rule: SolanaNftRule, owners: readonly string[], cluster: Cluster, using = services) {
  const plan = solanaNft.planReads(rule, owners, chain, using);
  expect(plan.reads).toHaveLength(solanaNft.countReads(rule, owners.length));
  let judgement = plan.judge(plan.reads.map((read) => answer(read as SolanaRead<ReadValue>, cluster)));
  let [reads, rounds] = [0, 0];
  while (isNextStep(judgement)) {
    if (judgement.kind === 'load') throw new Error('no work outside the chain');
    reads += judgement.reads.length;
    rounds += 1;
    judgement = judgement.judge(
      judgement.reads.map((read) => answer(read as SolanaRead<ReadValue>, cluster)),
    );
  }
  return { verdict: judgement satisfies Verdict, reads, rounds };
}

const toRule = (fields: object): SolanaNftRule => {
  const rule = tokenGatingRule.parse({ type: 'SOLANA_NFT', chainId: DEVNET, ...fields });
  if (rule.type !== 'SOLANA_NFT') throw new Error('another type');
  return rule;
};

const createCluster = (
  nfts: readonly SolanaNft[],
  lists: readonly (readonly [string, readonly string[] | null])[],
  failing: readonly string[] = [],
): Cluster => ({
  lists: new Map(lists),
  nfts: new Map(nfts.map((nft) => [nft.mint, nft])),
  failing: new Set(failing),
});

const nftOf = (number: number, collection?: string): SolanaNft => ({
  ...{ mint: toAddress(1_000 + number), collection, creators: [], uri: undefined },
});

describe('SOLANA_NFT', () => {
  const holdings = fc
    .array(
      fc.record({
        collection: fc.constantFrom(undefined, ...KEYS),
        creators: fc.subarray(KEYS),
        isRead: fc.boolean(),
        owners: fc.subarray(['a', 'b'], { minLength: 1 }),
      }),
      { maxLength: 12 },
    )
    .map((list) => list.map((one, index) => ({ ...one, mint: toAddress(100 + index), uri: undefined })));

  it('SOLANA_NFT: judges as a count of the distinct matching NFTs does, whatever the reads that fail', () => {
    const filters = fc.constantFrom('collection', 'creators', 'mint');
    const bounds = fc.tuple(fc.nat({ max: 6 }), fc.option(fc.nat({ max: 6 }), { nil: undefined }));
    const check = (
      held: typeof holdings extends fc.Arbitrary<infer List> ? List : never,
      filter: string,
      keys: readonly string[],
      [min, span]: readonly [number, number | undefined],
    ): void => {
      const wanted =
        filter === 'mint'
          ? held
              .slice(0, 2)
              .map(({ mint }) => mint)
              .concat(keys)
          : keys;
      const max = span === undefined ? undefined : min + span;
      const rule = toRule({
        contractAddress: filter,
        tokenId: wanted.join(','),
        minToken: String(min),
        ...(max === undefined ? {} : { maxToken: String(max) }),
      });
      const lists = ['a', 'b'].map((owner) => {
        const mints = held.filter(({ owners }) => owners.includes(owner)).map(({ mint }) => mint);
        return [owner, mints] as const;
      });
      const failing = held.filter(({ isRead }) => !isRead).map(({ mint }) => mint);
      const { verdict } = judge(rule, ['a', 'b'], createCluster(held, lists, failing));

      const matches = ({ mint, collection, creators }: SolanaNft): boolean =>
        filter === 'mint'
          ? wanted.includes(mint)
          : filter === 'collection'
            ? collection !== undefined && wanted.includes(collection)
            : creators.some((creator) => wanted.includes(creator));
      const known = held.filter((nft) => nft.isRead && matches(nft)).length;
      const hidden = held.filter(
        ({ isRead, mint }) => !isRead && (filter !== 'mint' || wanted.includes(mint)),
      ).length;
      const outcomes = new Set(
        Array.from({ length: hidden + 1 }, (_, more) => {
          const count = known + more;
          return count >= min && (max === undefined || count <= max) ? 'granted' : 'not_granted';
        }),
      );
      const [only] = outcomes;
      expect(verdict.kind).toBe(outcomes.size === 1 ? only : 'undetermined');
    };
    const someKeys = fc.subarray(KEYS, { minLength: 1 });
    fc.assert(fc.property(holdings, filters, someKeys, bounds, check), { numRuns: 500 });
  });

  it('SOLANA_NFT: reads no further than the verdict needs', () => {
    const nfts = Array.from({ length: 1_000 }, (_, index) => nftOf(index, first));
    const cluster = createCluster(nfts, [['a', nfts.map(({ mint }) => mint)]]);
    const rule = (more: object) => toRule({ contractAddress: 'collection', tokenId: first, ...more });
    expect(judge(rule({}), ['a'], cluster)).toMatchObject({ verdict: { kind: 'granted' }, reads: 100 });
    expect(judge(rule({ minToken: '1001' }), ['a'], cluster)).toMatchObject({
      ...{ verdict: { kind: 'not_granted' }, reads: 0 },
    });
    expect(judge(rule({ minToken: '1000' }), ['a'], cluster)).toMatchObject({
      ...{ verdict: { kind: 'granted' }, reads: 1_000 },
    });
  });

  it('SOLANA_NFT: reads no NFT of another mint than those that it names', () => {
    const nfts = Array.from({ length: 1_000 }, (_, index) => nftOf(index, first));
    const cluster = createCluster(nfts, [['a', nfts.map(({ mint }) => mint)]]);
    const rule = toRule({ contractAddress: 'mint', tokenId: `${nftOf(7).mint},${second}` });
    const verdict = {
      kind: 'granted',
      comparison: {
        quantity: { known: 1n, unread: undefined },
        bounds: { min: 1n, max: undefined, decimals: 0 },
      },
    };
    expect(judge(rule, ['a'], cluster)).toEqual({ verdict, reads: 1, rounds: 1 });
  });

  it('SOLANA_NFT: reads 5,000 NFTs at most, within the steps of a rule', () => {
    const nfts = Array.from({ length: MAX_ENUMERATED_TOKENS + 1 }, (_, index) => nftOf(index, second));
    const cluster = createCluster(nfts, [['a', nfts.map(({ mint }) => mint)]]);
    const rule = toRule({ contractAddress: 'collection', tokenId: first });
    const limitExceeded = { failure: { code: 'rule_read_limit_exceeded', permanent: true } };
    const { verdict, reads } = judge(rule, ['a'], cluster);
    expect(verdict).toMatchObject(limitExceeded);
    expect(reads).toBe(MAX_ENUMERATED_TOKENS);
    const withCore = judge(rule, ['a'], cluster, servicesWithCore);
    expect(withCore.verdict).toMatchObject(limitExceeded);
    expect(withCore.rounds).toBeLessThanOrEqual(MAX_READ_STEPS);
  });

  it('SOLANA_NFT: is undetermined by an owner with too many token accounts unless the others decide', () => {
    const cluster = createCluster(
      [nftOf(1, third)],
      [
        ['a', [nftOf(1).mint]],
        ['b', null],
      ],
    );
    const rule = (more: object) => toRule({ contractAddress: 'collection', tokenId: third, ...more });
    expect(judge(rule({}), ['a', 'b'], cluster).verdict).toMatchObject({
      ...{ kind: 'granted', comparison: { quantity: { known: 1n, unread: { maxAmount: undefined } } } },
    });
    expect(judge(rule({ minToken: '2' }), ['a', 'b'], cluster).verdict).toMatchObject({
      ...{ kind: 'undetermined', failure: { code: 'rule_read_limit_exceeded' } },
    });
  });
});
