import { describe, expect, it } from '@jest/globals';
import {
  type ContractRead,
  createNativeBalanceRead,
  createReadFailure,
  type ReadOptions,
  type ReadResult,
} from '@app/chain/evm';
import type { ChainService } from '../chains/chain.service.js';
import {
  createMultiChainReadPlan,
  createMultiChainReadStep,
  createReadPlan,
  createReadStep,
} from '../create-read-plan.js';
import type { NextStep, ReadPlan, ReadValue } from '../rule-type.js';
import { GRANTED, NOT_GRANTED, toUndetermined, type Verdict } from '../verdict.js';
import { finishPlans } from './finish-plans.js';
import { startPlan } from './running-plan.js';

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const balance = (n: number): ContractRead<bigint> => createNativeBalanceRead(address(n));
const read = (value: bigint, blockNumber?: bigint): ReadResult<bigint> => ({ ok: true, value, blockNumber });

interface RecordedRound {
  readonly chainId: number;
  readonly reads: number;
  readonly block: bigint | undefined;
}

/** Every balance is 1, at the block of the reads, else at block 9. */
function createChains() {
  const rounds: RecordedRound[] = [];
  const chains = {
    read: (chainId: number, reads: readonly unknown[], { block }: ReadOptions) => {
      rounds.push({ chainId, reads: reads.length, block });
      return Promise.resolve(reads.map(() => read(1n, block ?? 9n)));
    },
  } as unknown as Pick<ChainService, 'read'>; // the other methods are not called
  return { chains, rounds };
}

/** A plan that reads a balance, then the given number of reads in each further round. */
function createPlan(...rounds: readonly number[]): ReadPlan {
  const next = ([count, ...rest]: readonly number[]): Verdict | NextStep => {
    if (count === undefined) return GRANTED;
    return createReadStep(
      Array.from({ length: count }, (_, n) => balance(n)),
      () => next(rest),
    );
  };
  return createReadPlan([balance(1)], () => next(rounds));
}

const start = (plan: ReadPlan, block: bigint | undefined = 5n, chainId = 1) =>
  startPlan(
    chainId,
    plan,
    plan.reads.map(() => read(1n, block)),
  );

describe('finishPlans', () => {
  it('finishPlans: reads each round of all plans of a chain together, at the block of the first round', async () => {
    const { chains, rounds } = createChains();
    const plans = [start(createPlan(2, 3)), start(createPlan(4)), start(createPlan(1), 6n, 2)];
    const verdicts = await finishPlans(plans, { chains, tenantId: 'tenant' });
    expect(verdicts).toEqual([GRANTED, GRANTED, GRANTED]);
    expect(rounds.filter(({ chainId }) => chainId === 1)).toEqual([
      { chainId: 1, reads: 6, block: 5n },
      { chainId: 1, reads: 3, block: 5n },
    ]);
    expect(rounds.filter(({ chainId }) => chainId === 2)).toEqual([{ chainId: 2, reads: 1, block: 6n }]);
  });

  describe('with reads of several chains', () => {
    const [gnosis, ethereum] = [100, 1];
    const failure = createReadFailure('unavailable', 'the node is down');
    /** Two balances of each chain, then one more of each; judges whether all are read. */
    const createTwoChainPlan = (): ReadPlan => {
      const reads = [gnosis, ethereum].map((chainId) => ({ chainId, reads: [balance(1), balance(2)] }));
      return createMultiChainReadPlan(reads, (balances) => {
        if (!balances.some(({ ok }) => ok)) return NOT_GRANTED;
        const further = reads.filter((_, at) => balances[2 * at]?.ok);
        return createMultiChainReadStep(
          further.map(({ chainId }) => ({ chainId, reads: [balance(3)] })),
          (results) => (results.length === 2 ? GRANTED : toUndetermined(failure)),
        );
      });
    };
    const startTwoChains = (outcomes: readonly ReadResult<bigint>[]) =>
      startPlan(0, createTwoChainPlan(), outcomes);

    it('finishPlans, with reads of several chains: reads those of all plans together, each chain at its own block', async () => {
      const { chains, rounds } = createChains();
      const first = [read(1n, 5n), read(1n, 5n), read(1n, 8n), read(1n, 8n)];
      const plans = [startTwoChains(first), startTwoChains(first), startTwoChains(first)];
      const verdicts = await finishPlans(plans, { chains, tenantId: 'tenant' });
      expect(verdicts).toEqual([GRANTED, GRANTED, GRANTED]);
      expect(rounds).toEqual([
        { chainId: gnosis, reads: 3, block: 5n },
        { chainId: ethereum, reads: 3, block: 8n },
      ]);
    });

    it('finishPlans, with reads of several chains: repeats the first reads of those chains only that were read at different blocks, or without one', async () => {
      const { chains, rounds } = createChains();
      const plan = startTwoChains([read(1n, 5n), read(1n, 6n), read(1n, 8n), read(1n, 8n)]);
      expect(await finishPlans([plan], { chains, tenantId: 'tenant' })).toEqual([GRANTED]);
      expect(rounds).toEqual([
        { chainId: gnosis, reads: 2, block: 6n },
        { chainId: gnosis, reads: 1, block: 6n },
        { chainId: ethereum, reads: 1, block: 8n },
      ]);
      rounds.length = 0;
      const unpinned = startTwoChains([read(1n), read(1n), read(1n, 7n), read(1n, 8n)]);
      expect(await finishPlans([unpinned], { chains, tenantId: 'tenant' })).toEqual([GRANTED]);
      expect(rounds.slice(0, 3)).toEqual([
        { chainId: gnosis, reads: 1, block: undefined },
        { chainId: ethereum, reads: 2, block: 8n },
        { chainId: gnosis, reads: 2, block: 9n },
      ]);
    });

    it('finishPlans, with reads of several chains: reads no further where a chain failed, or has no block', async () => {
      const { chains, rounds } = createChains();
      const failed = startTwoChains([failure, failure, read(1n, 8n), read(1n, 8n)]);
      const expected = [toUndetermined(failure)];
      expect(await finishPlans([failed], { chains, tenantId: 'tenant' })).toEqual(expected);
      expect(rounds).toEqual([{ chainId: ethereum, reads: 1, block: 8n }]);
      const blockless = {
        read: (chainId: number, reads: readonly unknown[], options: ReadOptions) =>
          chainId === gnosis
            ? Promise.resolve(reads.map(() => failure))
            : chains.read(chainId, reads as never, { ...options, tenantId: 'tenant' }),
      } as unknown as Pick<ChainService, 'read'>;
      const unpinned = startTwoChains([read(1n), read(1n), read(1n, 8n), read(1n, 8n)]);
      const verdicts = await finishPlans([unpinned], { chains: blockless, tenantId: 'tenant' });
      expect(verdicts).toEqual(expected);
    });
  });

  it('finishPlans: has at most 5,000 reads in progress beside those of one plan', async () => {
    const { chains, rounds } = createChains();
    const plans = Array.from({ length: 5 }, () => start(createPlan(2_500)));
    await finishPlans(plans, { chains, tenantId: 'tenant' });
    expect(rounds.map(({ reads }) => reads)).toEqual([5_000, 5_000, 2_500]);
  });

  it.each<[string, (bigint | undefined)[], (bigint | undefined)[]]>([
    ['made at different blocks', [5n, 6n], [6n, 6n]],
    ['partly without a block', [5n, undefined], [5n, 5n]],
    ['without a block', [undefined, undefined], [undefined, 9n, 9n]],
  ])('finishPlans: repeats first reads that were %s', async (_, blocks, expected) => {
    const { chains, rounds } = createChains();
    const judged: unknown[] = [];
    const plan = createReadPlan([balance(1), balance(2)], (outcomes): Verdict | NextStep => {
      judged.push(outcomes.map((outcome) => outcome.ok && outcome.blockNumber));
      return createReadStep([balance(3)], () => GRANTED);
    });
    const outcomes: ReadResult<ReadValue>[] = blocks.map((block) => read(1n, block));
    const verdicts = await finishPlans([startPlan(1, plan, outcomes)], { chains, tenantId: 'tenant' });
    expect(verdicts).toEqual([GRANTED]);
    expect(rounds.map(({ block }) => block)).toEqual(expected);
    expect(judged.at(-1)).toEqual([expected.at(-1), expected.at(-1)]);
  });

  it('finishPlans: loads beside the reads of other plans, for the tenant and until its signal aborts', async () => {
    const { chains, rounds } = createChains();
    const contexts: unknown[] = [];
    const loading = createReadPlan([balance(1)], (): NextStep => ({
      kind: 'load',
      load: (context) => {
        contexts.push(context);
        return Promise.resolve(createReadStep([balance(2)], () => NOT_GRANTED));
      },
    }));
    const { signal } = new AbortController();
    const options = { chains, tenantId: 'tenant', lane: 'background', signal } as const;
    const verdicts = await finishPlans([start(loading), start(createPlan(2)), start(loading)], options);
    expect(verdicts).toEqual([NOT_GRANTED, GRANTED, NOT_GRANTED]);
    expect(contexts).toEqual(
      Array(2).fill(expect.objectContaining({ signal, tenantId: 'tenant', lane: 'background' })),
    );
    expect(rounds.map(({ reads }) => reads)).toEqual([2, 2]);
  });

  it('finishPlans: rejects a plan without an end', async () => {
    const { chains } = createChains();
    const plans = [start(createPlan(...Array<number>(9).fill(1)))];
    await expect(finishPlans(plans, { chains, tenantId: 'tenant' })).rejects.toThrow('further steps');
  });
});
