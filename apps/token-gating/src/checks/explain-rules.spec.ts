import { describe, expect, it } from '@jest/globals';
import { type ChainInfo, createReadFailure, type ReadResult } from '@app/chain/evm';
import {
  compareAmounts,
  type Condition,
  decimalAmount,
  type EvmAddress,
  EXPLANATIONS,
  isTree,
  type RuleEntry,
  toChecksumAddress,
  tokenGatingExplanation,
  type TokenGatingExplanation,
  tokenGatingRule,
} from '@app/dto';
import fc from 'fast-check';
import type { ChainRead, ChainService } from '../rules/chains/chain.service.js';
import { ContractKindsService } from '../rules/contract-kinds.service.js';
import type { ReadValue } from '../rules/rule-type.js';
import type { RuleServices } from '../rules/rule-services.js';
import { StakingAdaptersService } from '../rules/staking/staking-adapters.service.js';
import {
  createNamedAddress,
  createSingleAddress,
  type SubjectAddresses,
  toSubjectAddresses,
} from '../subjects/subject-addresses.js';
import { evaluateRules, PlanObserver } from './evaluate-rules.js';
import { explainRules } from './explain-rules.js';
import { mergeRoles } from './roles-response.js';
import { judgeEntries, listRules, settleVerdicts, toExplainedRules } from './rule-list.js';
import type { TokenListService } from './token-list.service.js';

const SOLANA_CHAIN = 8_000_000_000_101;
const SOLANA_OWNER = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D2Xg1mAcKkFb';
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const contractAddress = `0x${'cc'.repeat(20)}`;
const addressOf = (n: number): EvmAddress => `0x${n.toString(16).padStart(40, 'a')}`;
const WALLETS = [1, 2, 3].map(addressOf);
const BLOCK = 1_234n;

const types = [
  { type: 'NATIVE', chainId: 1 },
  { type: 'NATIVE', chainId: SOLANA_CHAIN },
  { type: 'ERC20', chainId: 1, contractAddress },
  { type: 'ERC721', chainId: 1, contractAddress },
  { type: 'ERC721', chainId: 1, contractAddress, tokenId: '1-3' },
  { type: 'ERC1155', chainId: 1, contractAddress, tokenId: '1-3' },
  { type: 'SOLANA_FT', chainId: SOLANA_CHAIN, contractAddress: mint },
  { type: 'gnosis', chainId: 1, contractAddress },
  { type: 'staking', chainId: 1, contractAddress, collectionName: 'erc900' },
  { type: 'staking', chainId: 1, contractAddress, collectionName: 'erc4626' },
  { type: 'POAP', eventId: '1' },
  { type: 'ALLOWLIST', accounts: [addressOf(2), `eip155:5:${addressOf(1)}`] },
  { type: 'ALLOWLIST', accounts: [addressOf(1), addressOf(3)] },
  { type: 'POAP', eventId: '1', chainId: 100 },
  {
    ...{ type: 'CONTRACT_READ', chainId: 1, contractAddress, decimals: 1, arguments: ['$account'] },
    function: 'function scoreOf(address) view returns (uint256)',
  },
];

const whole = fc.nat(6).map(String);
const anyAmount = fc.constantFrom('0', '0.4', '0.6', '1', '1.5', '2', '3', '400', '0.06', '0.1234567');
const anyRule = fc
  .record({
    fields: fc.constantFrom(...types),
    roleId: fc.constantFrom('a', 'b'),
    wholes: fc.tuple(whole, fc.option(whole)),
    amounts: fc.tuple(anyAmount, fc.option(anyAmount)),
  })
  .map(({ fields, roleId, wholes, amounts }) => {
    const isWhole = ['ERC721', 'ERC1155', 'POAP'].includes(fields.type);
    if (fields.type === 'ALLOWLIST') return tokenGatingRule.parse({ ...fields, roleId });
    const [low, high] = isWhole ? wholes : amounts;
    const sorted = [low, ...(high === null ? [] : [high])].toSorted((a, b) => Number(a) - Number(b));
    const [minToken = '1', maxToken] = sorted;
    return tokenGatingRule.parse({ ...fields, roleId, minToken, ...(maxToken && { maxToken }) });
  });

const NAMED_SUBJECT = {
  addresses: createNamedAddress({ chainId: 5, address: addressOf(1) }),
  isUser: false,
};

const subjects: readonly { readonly addresses: SubjectAddresses; readonly isUser: boolean }[] = [
  { addresses: createSingleAddress('evm', addressOf(1)), isUser: false },
  { addresses: createSingleAddress('solana', SOLANA_OWNER), isUser: false },
  NAMED_SUBJECT,
  { addresses: toSubjectAddresses([]), isUser: true },
  {
    addresses: toSubjectAddresses([
      { type: 'eoa', chainId: '1', address: addressOf(1) },
      { type: 'eoa', chainId: '1', address: addressOf(2) },
      { type: 'contract', chainId: '100', address: addressOf(3) },
      { type: 'solana', chainId: String(SOLANA_CHAIN), address: SOLANA_OWNER },
    ]),
    isUser: true,
  },
];

const anyWorld = fc.record({
  rules: fc.array(anyRule, { minLength: 1, maxLength: 4 }),
  subject: fc.constantFrom(...subjects),
  seed: fc.nat(),
  /** The number of reads of which one fails. */
  failsOneIn: fc.constantFrom(3, 10, 1_000_000),
  isContract: fc.boolean(),
});
type World = typeof anyWorld extends fc.Arbitrary<infer Value> ? Value : never;
type WorldOf<Entry> = Omit<World, 'rules' | 'isContract'> & {
  readonly rules: readonly Entry[];
  readonly isContract: boolean | 'unknown';
};

const describeRead = (read: ChainRead<ReadValue>): string =>
  'data' in read ? read.to + read.data : JSON.stringify(read.call);

/** A value of the kind that the read returns. */
function toValue(read: ChainRead<ReadValue>, n: number): ReadValue {
  if (!('data' in read))
    return describeRead(read).includes(`"${mint}"`) && read.call.kind === 'account' ? 2 : BigInt(n % 5);
  switch (read.data.slice(0, 8)) {
    case '313ce567': // decimals()
      return 1;
    case '6352211e': // ownerOf(uint256)
      return n % 4 === 3 ? null : addressOf(1 + (n % 4));
    case '01ffc9a7': // supportsInterface(bytes4)
      return !read.data.includes('d9b67a26');
    case '38d52e0f': // asset()
    case '72f702f3': // stakingToken()
    case 'fc0c546a': // token()
      return addressOf(9);
    case '67e7646f': // tokenDetailsOfOwnerByIndex(address,uint256)
      return { eventId: BigInt(n % 2), tokenId: BigInt(n) };
  }
  return BigInt(n % 5);
}

async function explain(
  { rules: entries, subject, seed, failsOneIn, isContract }: WorldOf<RuleEntry>,
  showsHoldings: boolean,
) {
  const list = listRules(entries);
  const { rules } = list;
  const respond = (read: ChainRead<ReadValue>): ReadResult<ReadValue> => {
    const isCode = 'data' in read && read.to === 'account code';
    if (isCode && isContract === 'unknown') return createReadFailure('unavailable', 'failed');
    const n = Array.from(describeRead(read)).reduce(
      (sum, c) => (sum * 31 + c.charCodeAt(0)) % 1_000_003,
      seed % 1_000,
    );
    if (n % failsOneIn === 1) return createReadFailure(n % 2 === 0 ? 'unavailable' : 'reverted', 'failed');
    return { ok: true, value: isCode ? isContract === true : toValue(read, n), blockNumber: BLOCK };
  };
  const info: ChainInfo = {
    id: 1,
    name: 'One',
    rpcUrls: ['http://node'],
    nativeDecimals: 1,
    nativeSymbol: 'ONE',
  };
  let reads = 0;
  const chains = {
    find: () => info,
    hasRoom: () => true,
    read: (_: number, asked: readonly ChainRead<ReadValue>[]) => {
      reads += asked.length;
      return Promise.resolve(asked.map(respond));
    },
  } as unknown as ChainService; // the other methods are not called
  const services = {
    chains,
    stakingAdapters: new StakingAdaptersService({ STAKING_ADAPTERS: [] }),
    contractKinds: new ContractKindsService(),
  } as unknown as RuleServices;
  const parts = { chains, services, tokenLists: {} as TokenListService };
  const observer = new PlanObserver();
  const options = { tenantId: 'tenant' };
  const { verdicts: judged } = await evaluateRules(rules, subject.addresses, options, parts, observer);
  const verdicts = settleVerdicts(list, judged);
  const explainedReads = reads;
  const explanations = explainRules(toExplainedRules(list), verdicts, observer, {
    ...subject,
    showsHoldings,
  });
  expect(reads).toBe(explainedReads);
  for (const explanation of explanations) tokenGatingExplanation.parse(explanation);
  return { verdicts, explanations, roles: mergeRoles(entries, judgeEntries(list, verdicts)) };
}

const parse = (text: string) => decimalAmount.parse(text);

/** What an explanation alone says of its rule. */
function reproduce({ code, min, max, held }: TokenGatingExplanation): boolean | null {
  const { granted } = EXPLANATIONS[code];
  if (held !== undefined) {
    const isWithin =
      compareAmounts(parse(held), parse(min)) >= 0 &&
      (max === null || compareAmounts(parse(held), parse(max)) <= 0);
    expect(granted).toBe(isWithin);
    if (code === 'no_token_id') expect(held).toBe('0');
    if (code === 'below_minimum') expect(compareAmounts(parse(held), parse(min))).toBe(-1);
    if (code === 'above_maximum') expect(compareAmounts(parse(held), parse(max ?? '0'))).toBe(1);
  }
  return granted;
}

const toGranted = (kind: string) => (kind === 'undetermined' ? null : kind === 'granted');

const BALANCES: readonly string[] = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155', 'SOLANA_FT', 'gnosis'];

/** Codes that a thousand random worlds have dozens of times. */
const COMMON_CODES = [
  ...['held_enough', 'below_minimum', 'above_maximum', 'wrong_chain_family', 'no_wallet'],
  ...['contract_of_other_chain', 'read_failed', 'not_readable'],
];

type Plain = boolean | null;

/** The account has no address that counts for the rule. */
const MISSING = ['wrong_chain_family', 'no_wallet', 'contract_of_other_chain'];

/** A tree by the explanations of its rules, as the guide describes it: no part of the evaluator. */
function judgePlainly(
  condition: Condition,
  path: string,
  explained: ReadonlyMap<string, TokenGatingExplanation>,
  isNegated: boolean,
): Plain {
  const under = (part: Condition, step: string, negated = isNegated): Plain =>
    judgePlainly(part, path === '' ? step : `${path}.${step}`, explained, negated);
  switch (condition.kind) {
    case 'rule': {
      const explanation = explained.get(path);
      if (!explanation) throw new Error(`No explanation of ${path}`);
      return isNegated && MISSING.includes(explanation.code) ? true : EXPLANATIONS[explanation.code].granted;
    }
    case 'not': {
      const inner = under(condition.of, 'not', !isNegated);
      return inner === null ? null : !inner;
    }
    case 'allOf': {
      const all = condition.of.map((part, at) => under(part, `allOf.${at}`));
      return all.includes(false) ? false : all.includes(null) ? null : true;
    }
    case 'anyOf': {
      const all = condition.of.map((part, at) => under(part, `anyOf.${at}`));
      return all.includes(true) ? true : all.includes(null) ? null : false;
    }
    case 'atLeast': {
      const all = condition.of.map((part, at) => under(part, `atLeast.of.${at}`));
      const count = (value: Plain) => all.filter((one) => one === value).length;
      if (count(true) >= condition.count) return true;
      return count(true) + count(null) >= condition.count ? null : false;
    }
  }
}

const { condition: anyCondition } = fc.letrec<{ condition: Condition }>((tie) => {
  const parts = fc.array(tie('condition'), { minLength: 1, maxLength: 3 });
  return {
    condition: fc.oneof(
      { maxDepth: 3 },
      anyRule.map((rule) => ({ kind: 'rule' as const, rule })),
      fc.record({ kind: fc.constantFrom('allOf' as const, 'anyOf' as const), of: parts }),
      fc.record({ kind: fc.constant('not' as const), of: tie('condition') }),
      fc
        .tuple(parts, fc.nat())
        .map(([of, n]) => ({ kind: 'atLeast' as const, count: 1 + (n % of.length), of })),
    ),
  };
});
const anyTree = fc
  .tuple(fc.constantFrom('a', 'b'), anyCondition)
  .map(([roleId, condition]): RuleEntry => ({ roleId, condition }));
const treesOf = fc.record({
  world: anyWorld,
  rules: fc.array(fc.oneof(anyTree, anyRule), { minLength: 1, maxLength: 3 }),
});

describe('explainRules', () => {
  it('explainRules: reproduces the verdicts of trees from the explanations alone', async () => {
    const seen = new Map<string, number>();
    const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(treesOf, async ({ world, rules }) => {
        const { explanations, roles } = await explain({ ...world, rules }, true);
        const plain = rules.map((entry, index): Plain => {
          const explained = new Map(
            explanations.filter(({ rule }) => rule === index).map((one) => [one.path ?? '', one]),
          );
          const condition = isTree(entry) ? entry.condition : { kind: 'rule' as const, rule: entry };
          return judgePlainly(condition, '', explained, false);
        });
        for (const { id, kind, errors } of roles) {
          const ofRole = plain.filter((_, index) => rules[index]?.roleId === id);
          const merged = ofRole.includes(true) ? true : ofRole.includes(null) ? null : false;
          expect(merged).toBe(toGranted(kind));
          note(kind);
          for (const { rule, path } of errors) {
            const named = explanations.find((one) => one.rule === rule && one.path === path);
            expect([plain[rule], named?.granted]).toEqual([null, null]);
          }
        }
        for (const { code, path } of explanations) if (path?.includes('not')) note(code);
      }),
      { numRuns: 1_000 },
    );
    for (const what of ['granted', 'not_granted', 'undetermined', ...MISSING, 'read_failed'])
      expect([what, (seen.get(what) ?? 0) > 20]).toEqual([what, true]);
  });

  it('explainRules: reproduces each verdict and each role from the explanations alone', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const { verdicts, explanations } = await explain(world, true);
        for (const { code } of explanations) seen.add(code);
        expect(explanations.map(reproduce)).toEqual(verdicts.map(({ kind }) => toGranted(kind)));
        expect(explanations.map(({ granted }) => granted)).toEqual(
          verdicts.map(({ kind }) => toGranted(kind)),
        );
        for (const { id, kind } of mergeRoles(world.rules, verdicts)) {
          const ofRole = explanations.filter(({ roleId }) => roleId === id).map(({ granted }) => granted);
          const merged = ofRole.includes(true) ? true : ofRole.includes(null) ? null : false;
          expect(merged).toBe(toGranted(kind));
        }
      }),
      { numRuns: 1_000 },
    );
    expect([...seen]).toEqual(expect.arrayContaining(COMMON_CODES));
  });

  it('judgeEntries: decides a tree while the code of the account is unknown only where no code could change it', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(treesOf, async ({ world, rules }) => {
        const named = { ...world, rules, failsOneIn: 1_000_000 as const, subject: NAMED_SUBJECT };
        const kindsOf = async (isContract: boolean | 'unknown') =>
          (await explain({ ...named, isContract }, true)).roles.map(({ kind }) => kind);
        const [unknown, ...known] = await Promise.all([kindsOf('unknown'), kindsOf(true), kindsOf(false)]);
        for (const [index, kind] of unknown.entries()) {
          const possible = known.map((kinds) => kinds[index]);
          seen.add(`${kind} ${possible.join(' ')}`);
          if (kind !== 'undetermined') expect(possible).toEqual([kind, kind]);
        }
      }),
      { numRuns: 500 },
    );
    expect([...seen].sort()).toEqual(
      expect.arrayContaining(['undetermined granted not_granted', 'undetermined not_granted granted']),
    );
  });

  it('explainRules: names amounts of wallets that add up, and blocks that were read', async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const { explanations } = await explain(world, true);
        for (const { rule, held, wallets = [], blocks = [], unit } of explanations) {
          expect(unit).toBeDefined();
          for (const { number } of blocks) expect(number).toBe(Number(BLOCK));
          const amounts = wallets.map((wallet) => wallet.held);
          // The whole amount is known only where that of every wallet is.
          if (held !== undefined && BALANCES.includes(world.rules[rule]?.type ?? ''))
            expect(amounts).not.toContain(undefined);
          if (held === undefined || amounts.includes(undefined) || amounts.length === 0) continue;
          const units = amounts.map((amount) => Number(amount) * 1_000);
          expect(units.reduce((sum, one) => sum + one, 0)).toBeCloseTo(Number(held) * 1_000);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('explainRules: names no wallet and no amount to a caller who may not see them', async () => {
    const secrets = [...WALLETS.map((wallet) => toChecksumAddress(wallet)), ...WALLETS, SOLANA_OWNER];
    await fc.assert(
      fc.asyncProperty(anyWorld, async (world) => {
        const { explanations, verdicts } = await explain(world, false);
        const text = JSON.stringify(explanations);
        for (const secret of secrets) expect(text).not.toContain(secret);
        for (const explanation of explanations)
          expect(Object.keys(explanation).filter((key) => ['held', 'wallets'].includes(key))).toEqual([]);
        expect(explanations.map(reproduce)).toEqual(verdicts.map(({ kind }) => toGranted(kind)));
      }),
      { numRuns: 500 },
    );
  });
});
