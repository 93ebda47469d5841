import { describe, expect, it } from '@jest/globals';
import { type ChainInfo, createReadFailure, type ReadResult } from '@app/chain/evm';
import {
  EXPLANATIONS,
  type EvmAddress,
  toChecksumAddress,
  tokenGatingExplanation,
  type TokenGatingExplanation,
  tokenGatingRule,
} from '@app/dto';
import fc from 'fast-check';
import { evaluateRules, PlanObserver } from './evaluate-rules.js';
import { explainRules } from './explain-rules.js';
import type { TokenListService } from './token-list.service.js';
import { toSubjectAddresses } from '../subjects/subject-addresses.js';
import type { ChainRead, ChainService } from '../rules/chains/chain.service.js';
import type { RuleServices } from '../rules/rule-services.js';
import type { ReadValue } from '../rules/rule-type.js';

const contractAddress = `0x${'cc'.repeat(20)}`;
const addressOf = (n: number): EvmAddress => `0x${n.toString(16).padStart(40, 'a')}`;
const WALLETS = [1, 2, 3].map(addressOf);
const [ZERO_ADDRESS, ZERO_WORD] = [`0x${'0'.repeat(40)}`, `0x${'0'.repeat(64)}`];

type Fields = Readonly<Record<string, unknown>>;
const anyInteger = fc.integer({ min: -3, max: 3 });

/** What a rule asks for, and the values that its function may return. */
const anyQuestion: fc.Arbitrary<{
  readonly returns: string;
  readonly fields: Fields;
  readonly values: readonly bigint[];
}> = fc.oneof(
  fc.tuple(fc.constantFrom('int256', 'int8'), anyInteger, fc.option(anyInteger)).map(([returns, a, b]) => ({
    ...{ returns, values: [-3n, -2n, -1n, 0n, 1n, 2n, 3n] },
    fields: {
      minToken: String(Math.min(a, b ?? a)),
      ...(b !== null && { maxToken: String(Math.max(a, b)) }),
    },
  })),
  fc.constantFrom('0', '1', '0x2').map((equals) => ({
    ...{ returns: 'uint256', fields: { equals }, values: [0n, 1n, 2n] },
  })),
  fc.constantFrom('0.04', '0.1', '-0.15').map((minToken) => ({
    ...{ returns: 'int256', fields: { minToken, decimals: 1 }, values: [-2n, -1n, 0n, 1n, 2n] },
  })),
  fc.constantFrom<Fields>({}, { equals: 'true' }, { equals: 'false' }).map((fields) => ({
    ...{ returns: 'bool', fields, values: [0n, 1n] },
  })),
  fc.constantFrom('$account', ZERO_ADDRESS, addressOf(1), toChecksumAddress(addressOf(2))).map((equals) => ({
    ...{ returns: 'address', fields: { equals }, values: [0n, ...WALLETS.map(BigInt)] },
  })),
  fc.constantFrom(ZERO_WORD, `0x${'Ab'.repeat(32)}`).map((equals) => ({
    ...{ returns: 'bytes32', fields: { equals }, values: [0n, BigInt(`0x${'ab'.repeat(32)}`), 5n] },
  })),
  fc.constantFrom<Fields>({}, { minToken: '2', maxToken: '2' }, { equals: '0' }).map((fields) => ({
    ...{ returns: 'uint256[]', fields, values: [0n, 1n, 2n, 3n] },
  })),
);

const anyWorld = fc.record({
  question: anyQuestion,
  isEach: fc.boolean(),
  wallets: fc.subarray(WALLETS),
  /** For each wallet the position of its value, or a failure. */
  answers: fc.array(
    fc.oneof({ weight: 4, arbitrary: fc.nat(6) }, fc.constantFrom('reverted', 'unavailable')),
    {
      minLength: 3,
      maxLength: 3,
    },
  ),
});
type World = typeof anyWorld extends fc.Arbitrary<infer Value> ? Value : never;

const toRule = ({ question, isEach }: Pick<World, 'question' | 'isEach'>) =>
  tokenGatingRule.parse({
    ...{ type: 'CONTRACT_READ', chainId: 1, contractAddress, ...question.fields },
    function: `function f(${isEach ? 'address' : ''}) view returns (${question.returns})`,
    arguments: isEach ? ['$account'] : [],
  });

async function explain(world: World, showsHoldings = true) {
  const { question, wallets, answers } = world;
  const rule = toRule(world);
  const respond = (read: ChainRead<ReadValue>): ReadResult<ReadValue> => {
    const wallet = 'data' in read ? WALLETS.findIndex((address) => read.data.endsWith(address.slice(2))) : 0;
    const answer = answers[Math.max(0, wallet)] ?? 0;
    if (answer === 'reverted' || answer === 'unavailable') return createReadFailure(answer, 'failed');
    return { ok: true, value: question.values[answer % question.values.length] ?? 0n, blockNumber: 7n };
  };
  const info: ChainInfo = {
    ...{ id: 1, name: 'One', rpcUrls: ['http://node'] },
    ...{ nativeDecimals: 18, nativeSymbol: 'ONE' },
  };
  const reads: ChainRead<ReadValue>[] = [];
  const chains = {
    find: () => info,
    hasRoom: () => true,
    read: (_: number, asked: readonly ChainRead<ReadValue>[]) => {
      reads.push(...asked);
      return Promise.resolve(asked.map(respond));
    },
  } as unknown as ChainService; // the other methods are not called
  const services = { chains } as unknown as RuleServices;
  const parts = { chains, services, tokenLists: {} as TokenListService };
  const observer = new PlanObserver();
  const addresses = toSubjectAddresses(wallets.map((address) => ({ type: 'eoa', chainId: '1', address })));
  const { verdicts } = await evaluateRules([rule], addresses, { tenantId: 't' }, parts, observer);
  const explained = [{ rule: 0, roleId: rule.roleId, checked: rule }];
  const subject = { addresses, isUser: true, showsHoldings };
  const [explanation] = explainRules(explained, verdicts, observer, subject);
  if (!explanation || !verdicts[0]) throw new Error('Nothing was explained');
  tokenGatingExplanation.parse(explanation);
  return { verdict: verdicts[0], explanation, reads };
}

/** Kleene's logic. */
const not = (a: boolean | null) => (a === null ? null : !a);
const and = (...all: (boolean | null)[]) => (all.includes(false) ? false : all.includes(null) ? null : true);
const or = (...all: (boolean | null)[]) => not(and(...all.map(not)));

/** Whether a text that is a number is at least another one. Texts of the worlds are small. */
const isAtLeast = (a: string, b: string) => Number(a) >= Number(b);
const UNSET = ['false', '0', ZERO_ADDRESS, ZERO_WORD];

/** The verdict as an explanation alone says it: by what each wallet is said to have. */
function reproduce({ equals, min, max, wallets = [] }: TokenGatingExplanation): boolean | null {
  if (wallets.length === 0) return false;
  const each = (fits: (held: string, account: string) => boolean) =>
    wallets.map(({ held, account }) => (held === undefined ? null : fits(held, account)));
  if (equals === undefined) {
    const isKept = max === null ? [] : each((held) => isAtLeast(max, held));
    return and(or(...each((held) => isAtLeast(held, min))), ...isKept);
  }
  if (equals === '$account') return or(...each((held, account) => held === account));
  return UNSET.includes(equals)
    ? and(...each((held) => held === equals))
    : or(...each((held) => held === equals));
}

const toGranted = (kind: string) => (kind === 'undetermined' ? null : kind === 'granted');

describe('contractRead', () => {
  it('contractRead: judges each wallet alone, as the explanation of what it has says', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const { verdict, explanation, reads } = await explain(world);
        seen.add(explanation.code);
        expect(reproduce(explanation)).toBe(toGranted(verdict.kind));
        expect(EXPLANATIONS[explanation.code].granted).toBe(toGranted(verdict.kind));
        expect(explanation.granted).toBe(toGranted(verdict.kind));
        expect(reads).toHaveLength(world.isEach ? world.wallets.length : Math.min(1, world.wallets.length));
      }),
      { numRuns: 3_000 },
    );
    expect([...seen].toSorted()).toEqual(
      [
        ...['above_maximum', 'below_minimum', 'held_enough', 'no_wallet', 'not_readable', 'read_failed'],
        ...['value_different', 'value_equal'],
      ].toSorted(),
    );
  });

  it('contractRead: names no wallet and no value to a caller who may not see them', async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const { explanation } = await explain(world, false);
        expect(Object.keys(explanation).filter((key) => ['held', 'wallets'].includes(key))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('contractRead: grants no address that an entry without owner equals', async () => {
    const question = { returns: 'address', fields: { equals: '$account' }, values: [0n] };
    const wallets: EvmAddress[] = [`0x${'0'.repeat(40)}`];
    const { verdict } = await explain({ question, isEach: false, wallets, answers: [0, 0, 0] });
    expect(verdict).toEqual({ kind: 'not_granted', reason: 'value_different' });
  });

  it('contractRead: says that no number fits where both bounds are rounded past each other', async () => {
    const fields = { minToken: '0.1', maxToken: '0.9', decimals: 0 };
    const question = { returns: 'uint256', fields, values: [0n, 1n] };
    const { explanation } = await explain({ question, isEach: true, wallets: WALLETS, answers: [0, 1, 0] });
    expect(explanation.code).toBe('no_amount_fits');
  });
});
