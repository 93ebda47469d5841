import { describe, expect, it } from '@jest/globals';
import { type ContractRead, createReadFailure, type ReadOptions, type ReadResult } from '@app/chain/evm';
import { POAP_CONTRACT, type PoapRule, tokenGatingRule } from '@app/dto';
import fc from 'fast-check';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { poap } from './poap.js';
import { finishPlans } from './rounds/finish-plans.js';
import { startPlan } from './rounds/running-plan.js';
import { isNextStep } from './rule-type.js';
import type { RuleServices } from './rule-services.js';

const BALANCE_OF = '70a08231';
const EVENT = 7;
const OTHER_EVENT = 8;
const blockIsGone = createReadFailure('block_unavailable', 'the block is gone');
const down = createReadFailure('unavailable', 'the node is down');

interface Poap {
  readonly tokenId: number;
  readonly eventId: number;
}

/** POAPs by chain id and address; a chain without an entry has no node. */
type World = Readonly<Record<number, Readonly<Record<string, readonly Poap[]>>>>;

const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const toWord = (value: number): string => value.toString(16).padStart(64, '0');

/** Answers as the contract does. `failing` chains do not answer. */
function createChains(
  world: World,
  {
    failing = [] as number[],
    balance = undefined as bigint | undefined,
    lostBlocks = 0,
    withoutOldBlocks = [] as number[],
  } = {},
) {
  const reads: { chainId: number; block: bigint | undefined; count: number }[] = [];
  const answer = (chainId: number, data: string): string => {
    const held = world[chainId]?.[`0x${data.slice(32, 72)}`] ?? [];
    if (data.startsWith(BALANCE_OF)) return (balance ?? BigInt(held.length)).toString(16).padStart(64, '0');
    const { tokenId = 0, eventId = 0 } = held[Number.parseInt(data.slice(72), 16)] ?? {};
    return toWord(tokenId) + toWord(eventId);
  };
  const chains = {
    find: (chainId: number) => (world[chainId] ? { rpcUrls: ['http://node'] } : undefined),
    read: (chainId: number, batch: readonly ContractRead<unknown>[], { block }: ReadOptions) => {
      reads.push({ chainId, block, count: batch.length });
      if (block !== undefined && lostBlocks > 0) {
        lostBlocks -= 1;
        return Promise.resolve(batch.map(() => blockIsGone));
      }
      if (block !== undefined && withoutOldBlocks.includes(chainId))
        return Promise.resolve(batch.map(() => blockIsGone));
      return Promise.resolve(
        batch.map(({ to, data, decode }): ReadResult<unknown> => {
          if (failing.includes(chainId)) return down;
          expect(to).toBe(POAP_CONTRACT);
          return { ok: true, value: decode(answer(chainId, data)), blockNumber: block ?? 9n };
        }),
      );
    },
  };
  return { services: { chains } as unknown as RuleServices, reads };
}

async function judge(fields: object, addresses: readonly string[], services: RuleServices): Promise<string> {
  const rule = tokenGatingRule.parse({ type: 'POAP', eventId: String(EVENT), ...fields }) as PoapRule;
  const subject = { getAddresses: () => addresses } as unknown as SubjectAddresses;
  const plan = poap.planSubject(rule, subject, services);
  const { chains } = services;
  const firstRound = await Promise.all(
    (plan.parts ?? []).map(({ chainId, start, end }) =>
      chains.read(chainId, plan.reads.slice(start, end), { tenantId: 'tenant' }),
    ),
  );
  const judgement = plan.judge(firstRound.flat());
  if (!isNextStep(judgement)) return judgement.kind;
  const started = startPlan(0, plan, firstRound.flat());
  const [verdict] = await finishPlans([started], { chains, tenantId: 'tenant' });
  return verdict?.kind ?? 'none';
}

const poaps = (count: number, eventId = EVENT, first = 1): Poap[] =>
  Array.from({ length: count }, (_, at) => ({ tokenId: first + at, eventId }));

describe('POAP rules', () => {
  it('POAP rules: judge the number of distinct POAPs of the event on all chains', async () => {
    const token = fc.record({
      tokenId: fc.integer({ min: 1, max: 40 }),
      eventId: fc.constantFrom(EVENT, OTHER_EVENT),
    });
    const wallet = fc.array(token, { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(wallet, wallet, wallet, wallet),
        fc.integer({ min: 0, max: 6 }),
        fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
        async ([a, b, c, d], min, above) => {
          const addresses = [addressOf(1), addressOf(2)];
          const world = {
            100: { [addressOf(1)]: a, [addressOf(2)]: b },
            1: { [addressOf(1)]: c, [addressOf(2)]: d },
          };
          const all = [...a, ...b, ...c, ...d].filter(({ eventId }) => eventId === EVENT);
          const held = new Set(all.map(({ tokenId }) => tokenId)).size;
          const max = above === undefined ? undefined : min + above;
          const bounds = { minToken: String(min), ...(max === undefined ? {} : { maxToken: String(max) }) };
          const isWithin = held >= min && (max === undefined || held <= max);
          const { services } = createChains(world);
          expect(await judge(bounds, addresses, services)).toBe(isWithin ? 'granted' : 'not_granted');
        },
      ),
    );
  });

  it('POAP rules: read in growing rounds at the block of the balances, until the verdict is certain', async () => {
    const world = { 100: { [addressOf(1)]: poaps(1_000) } };
    const { services, reads } = createChains(world);
    expect(await judge({ minToken: '101' }, [addressOf(1)], services)).toBe('granted');
    expect(reads).toEqual([
      { chainId: 100, block: undefined, count: 1 },
      { chainId: 100, block: 9n, count: 100 },
      { chainId: 100, block: 9n, count: 200 },
    ]);
  });

  it('POAP rules: read at most 5,000 POAPs, whatever balance the contract tells', async () => {
    const { services, reads } = createChains({ 100: { [addressOf(1)]: poaps(1) } }, { balance: 2n ** 255n });
    expect(await judge({ minToken: '2' }, [addressOf(1), addressOf(2)], services)).toBe('undetermined');
    expect(reads.reduce((sum, { count }) => sum + count, 0)).toBe(5_002);
  });

  it('POAP rules: are undetermined while a chain that could decide is down, and granted without it', async () => {
    const world = { 100: { [addressOf(1)]: poaps(2) }, 1: {} };
    const { services } = createChains(world, { failing: [1] });
    expect(await judge({ minToken: '3' }, [addressOf(1)], services)).toBe('undetermined');
    expect(await judge({ minToken: '2' }, [addressOf(1)], services)).toBe('granted');
    expect(await judge({ minToken: '0', maxToken: '1' }, [addressOf(1)], services)).toBe('not_granted');
  });

  it('POAP rules: read no details when the balances are too low, nor for accounts without an address', async () => {
    const { services, reads } = createChains({ 100: { [addressOf(1)]: poaps(2) }, 1: {} });
    expect(await judge({ minToken: '3' }, [addressOf(1)], services)).toBe('not_granted');
    expect(reads.map(({ count }) => count)).toEqual([1, 1]);
    expect(await judge({ minToken: '0' }, [], services)).toBe('not_granted');
  });

  it('POAP rules: read at most 5,000 POAPs of both chains together', async () => {
    const world = {
      100: { [addressOf(1)]: poaps(4_000) },
      1: { [addressOf(1)]: poaps(4_000, OTHER_EVENT, 9_000) },
    };
    const { services, reads } = createChains(world);
    expect(await judge({ minToken: '4001' }, [addressOf(1)], services)).toBe('undetermined');
    expect(reads.reduce((sum, { count }) => sum + count, 0)).toBe(5_002);
    expect(reads.filter(({ chainId }) => chainId === 1).map(({ count }) => count)).toEqual([
      ...[1, 100, 200, 400, 300],
    ]);
  });

  it('POAP rules: begin once again when no node has the block of the balances', async () => {
    const world = { 100: { [addressOf(1)]: poaps(1) } };
    for (const [failures, expected] of [
      [1, 'granted'],
      [2, 'undetermined'],
    ] as const) {
      const { services } = createChains(world, { lostBlocks: failures });
      expect(await judge({}, [addressOf(1)], services)).toBe(expected);
    }
  });

  it('POAP rules: are granted by one chain while the nodes of the other lose their blocks', async () => {
    const world = { 100: { [addressOf(1)]: poaps(2) }, 1: { [addressOf(1)]: poaps(1, EVENT, 9) } };
    for (const [minToken, expected] of [
      ['2', 'granted'],
      ['3', 'undetermined'],
    ]) {
      const { services } = createChains(world, { withoutOldBlocks: [1] });
      expect(await judge({ minToken }, [addressOf(1)], services)).toBe(expected);
    }
  });

  it('POAP rules: need a node of one of their chains', async () => {
    const rule = tokenGatingRule.parse({ type: 'POAP', eventId: '7' }) as PoapRule;
    const { services } = createChains({});
    expect(poap.findProblem?.(rule, services)).toMatchObject({ field: 'chainId' });
    expect(await judge({}, [addressOf(1)], services)).toBe('undetermined');
  });
});
