import { describe, expect, it } from '@jest/globals';
import {
  type ContractRead,
  createInboxRead,
  createReadFailure,
  DELEGATE_REGISTRY,
  type ReadFailure,
  type ReadResult,
} from '@app/chain/evm';
import { type TokenGatingRule, tokenGatingRule } from '@app/dto';
import fc from 'fast-check';
import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters, toHex } from 'viem';
import { planRules } from '../../apps/token-gating/src/checks/evaluate-rules.js';
import { KnownRegistriesService } from '../../apps/token-gating/src/rules/delegations/known-registries.service.js';
import { getRuleType } from '../../apps/token-gating/src/rules/rule-type-registry.js';
import type { MemberVaults } from '../../apps/token-gating/src/subjects/subject-addresses.js';
import type { ChainService } from '../../apps/token-gating/src/rules/chains/chain.service.js';
import type { RuleServices } from '../../apps/token-gating/src/rules/rule-services.js';
import { finishPlans } from '../../apps/token-gating/src/rules/rounds/finish-plans.js';
import { startPlan } from '../../apps/token-gating/src/rules/rounds/running-plan.js';
import { isNextStep, type ReadValue } from '../../apps/token-gating/src/rules/rule-type.js';
import type { Verdict } from '../../apps/token-gating/src/rules/verdict.js';

const CHAIN_ID = 1;
const address = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const [CONTRACT, OTHER_CONTRACT] = [address(0xcc), address(0xdd)];
const word = (value: bigint | number) => value.toString(16).padStart(64, '0');
const ZERO = word(0);
const TYPES = { none: 0, all: 1, contract: 2, token: 3 } as const;

interface ModelDelegation {
  readonly type: keyof typeof TYPES;
  readonly vault: Hex;
  readonly contract: Hex;
  readonly hasRights: boolean;
  /** The account that the registry names as the delegate, where it lies. */
  readonly delegate?: Hex;
}

interface Model {
  readonly balances: ReadonlyMap<string, bigint>;
  readonly inboxes: ReadonlyMap<string, readonly ModelDelegation[]>;
  /** Answers of the registry instead of its own. */
  readonly registryFailure?: ReadFailure | undefined;
  /** The inbox that the failure is about, where it is not about all. */
  readonly failingInbox?: string;
}

/** A chain with a token and the registry, answered from the model, byte for byte as the registry would. */
class ModelChain {
  readonly registryReads: string[] = [];
  private readonly slots = new Map<string, string>();
  private readonly delegations = new Map<string, readonly [Hex, ModelDelegation]>();

  constructor(private readonly model: Model) {
    for (const [to, inbox] of model.inboxes) {
      const slot = keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [to as Hex, 2n]));
      const first = BigInt(keccak256(slot));
      this.slots.set(slot.slice(2), word(inbox.length));
      inbox.forEach((delegation, at) => {
        // A revoked delegation keeps its hash, which says of which type it was.
        const type = TYPES[delegation.type === 'none' ? 'all' : delegation.type];
        const hash = keccak256(toHex(`${to} ${at}`)).slice(4) + word(type).slice(-2);
        this.slots.set(word(first + BigInt(at)), hash);
        this.delegations.set(hash, [to as Hex, delegation]);
      });
    }
  }

  readonly read = (_: number, reads: readonly unknown[]): Promise<ReadResult<never>[]> =>
    Promise.resolve((reads as ContractRead<never>[]).map((read) => this.answer(read)));

  private answer(read: ContractRead<never>): ReadResult<never> {
    const { registryFailure, failingInbox } = this.model;
    if (read.to === DELEGATE_REGISTRY) {
      this.registryReads.push(read.data);
      const isAsked = failingInbox === undefined || read.data === createInboxRead(failingInbox, 0, 4).data;
      if (registryFailure && isAsked) return registryFailure;
    }
    return { ok: true, value: read.decode(this.encode(read)), blockNumber: 5n };
  }

  private encode({ to, data }: ContractRead<unknown>): string {
    const [selector, ...words] = [data.slice(0, 8), ...(data.slice(8).match(/.{64}/g) ?? [])];
    const list = (entries: string) => word(32) + word(words.length - 2) + entries;
    switch (selector) {
      case '313ce567':
        return ZERO;
      case '70a08231':
        return word(this.model.balances.get(`0x${words[0]?.slice(24) ?? ''}`) ?? 0n);
      case '61451a30':
        return list(words.slice(2).map((slot) => this.slots.get(slot) ?? ZERO).join('')); // prettier-ignore
      case '4705ed38':
        return list(words.slice(2).map((hash) => this.describe(hash)).join('')); // prettier-ignore
      case '8988eea9':
        return word(this.isDelegate(words) ? 1 : 0);
      default:
        throw new Error(`${to} has no function ${selector}`);
    }
  }

  private describe(hash: string): string {
    const [to, delegation] = this.delegations.get(hash) ?? [];
    if (!to || !delegation || delegation.type === 'none') return ZERO.repeat(7);
    const { type, vault, contract, hasRights, delegate = to } = delegation;
    const rights = hasRights ? word(7) : ZERO;
    const party = (one: Hex) => word(BigInt(one));
    return word(TYPES[type]) + party(delegate) + party(vault) + rights + party(contract) + ZERO + ZERO;
  }

  private isDelegate([to = '', from = '', contract = '']: readonly string[]): boolean {
    const inbox = this.model.inboxes.get(`0x${to.slice(24)}`) ?? [];
    return inbox.some((one) => one.vault.endsWith(from.slice(24)) && counts(one, `0x${contract.slice(24)}`));
  }
}

const counts = ({ type, contract, hasRights, delegate }: ModelDelegation, wanted: string): boolean =>
  !hasRights && delegate === undefined && (type === 'all' || (type === 'contract' && contract === wanted));

const ruleOf = (fields: object = {}): TokenGatingRule =>
  tokenGatingRule.parse({
    ...{ type: 'ERC20', chainId: CHAIN_ID, contractAddress: CONTRACT, delegations: 'delegate.xyz' },
    ...fields,
  });

async function judge(
  chain: ModelChain,
  rule: TokenGatingRule,
  own: readonly string[],
  vaults?: MemberVaults,
  registries = new KnownRegistriesService(),
): Promise<Verdict> {
  const chains = { read: chain.read, find: () => ({}) } as unknown as ChainService; // nothing else is asked
  const subject = { getAddresses: () => own, maxCount: own.length, ...(vaults && { vaults }) };
  const [planned] = planRules([rule], [rule as never], subject, chains, {
    registries,
  } as unknown as RuleServices);
  if (!planned?.plan) throw new Error('The rule has no plan');
  const { plan } = planned;
  const outcomes: ReadResult<ReadValue>[] = await chain.read(CHAIN_ID, plan.reads);
  const judgement = plan.judge(outcomes);
  if (!isNextStep(judgement)) return judgement;
  const options = { chains, tenantId: 'tenant' };
  const [verdict] = await finishPlans([startPlan(CHAIN_ID, plan, outcomes)], options);
  if (!verdict) throw new Error('The rule has no verdict');
  return verdict;
}

const full = (vault: Hex): ModelDelegation => ({
  type: 'all',
  vault,
  contract: address(0),
  hasRights: false,
});
const [own, vault] = [address(1), address(0x100)];
const modelOf = (
  ownAmount: bigint,
  inbox: readonly ModelDelegation[],
  vaultAmount = 5n,
  more: Partial<Model> = {},
): Model => ({
  balances: new Map([
    [own, ownAmount],
    [vault, vaultAmount],
  ]),
  inboxes: new Map([[own, inbox]]),
  ...more,
});
const spam = Array.from({ length: 257 }, (_, at) => full(address(0x10_000 + at)));
const summarize = (verdict: Verdict): string =>
  verdict.kind === 'undetermined' ? verdict.failure.code : verdict.kind;

describe('planDelegations', () => {
  it.each<[string, object, bigint, string]>([
    ['enough is held, and there is no maximum', { minToken: '5' }, 5n, 'granted'],
    ['more than the maximum is held', { minToken: '1', maxToken: '4' }, 5n, 'not_granted'],
  ])('planDelegations: asks no registry where %s', async (_, fields, amount, verdict) => {
    const chain = new ModelChain(modelOf(amount, [full(vault)]));
    expect([summarize(await judge(chain, ruleOf(fields), [own])), chain.registryReads]).toEqual([
      verdict,
      [],
    ]);
  });

  it.each<[string, object, bigint, string]>([
    ['granted where own and vault holdings together are enough', { minToken: '10' }, 5n, 'granted'],
    ['not granted where they are not', { minToken: '11' }, 5n, 'not_granted'],
    ['not granted where they are too many together', { minToken: '5', maxToken: '9' }, 5n, 'not_granted'],
    ['granted where they are not too many together', { minToken: '5', maxToken: '10' }, 5n, 'granted'],
  ])('planDelegations: is %s', async (_, fields, amount, verdict) => {
    expect(
      summarize(await judge(new ModelChain(modelOf(amount, [full(vault)])), ruleOf(fields), [own])),
    ).toBe(verdict);
  });

  it.each<[string, object, bigint, string]>([
    ['undetermined where vaults could be enough', { minToken: '6' }, 5n, 'unavailable'],
    ['undetermined where vaults could be too many', { minToken: '5', maxToken: '9' }, 5n, 'unavailable'],
    ['granted where vaults can only add', { minToken: '5' }, 5n, 'granted'],
  ])('planDelegations: is %s and the registry does not answer', async (_, fields, amount, verdict) => {
    const registryFailure = createReadFailure('unavailable', 'the node is down');
    const chain = new ModelChain(modelOf(amount, [full(vault)], 5n, { registryFailure }));
    expect(summarize(await judge(chain, ruleOf(fields), [own]))).toBe(verdict);
  });

  it('planDelegations: goes by own holdings on a chain without the registry', async () => {
    const registryFailure = createReadFailure('no_contract', 'no contract');
    const chain = () => new ModelChain(modelOf(5n, [], 0n, { registryFailure }));
    expect(summarize(await judge(chain(), ruleOf({ minToken: '6' }), [own]))).toBe('not_granted');
    expect(summarize(await judge(chain(), ruleOf({ minToken: '5', maxToken: '6' }), [own]))).toBe('granted');
  });

  it.each<[string, object, bigint, string]>([
    ['own holdings are not enough', { minToken: '6' }, 5n, 'vaults_not_read'],
    ['own holdings are within the maximum', { minToken: '5', maxToken: '9' }, 5n, 'granted'],
    ['a named vault makes them enough', { minToken: '10', vaults: [vault] }, 5n, 'granted'],
    [
      'a named vault makes them too many',
      { minToken: '5', maxToken: '9', vaults: [vault] },
      5n,
      'not_granted',
    ],
    ['a named vault has not delegated itself', { minToken: '10', vaults: [address(9)] }, 5n, 'not_granted'],
  ])('planDelegations: reads no inbox of 258 entries, where %s', async (_, fields, amount, verdict) => {
    const chain = new ModelChain(modelOf(amount, [...spam, full(vault)]));
    expect(summarize(await judge(chain, ruleOf(fields), [own]))).toBe(verdict);
    expect(chain.registryReads.length).toBeLessThanOrEqual(2);
  });

  it.each([
    ['20 vaults', 19, {}, 'granted'],
    ['21 vaults', 20, {}, 'vaults_not_read'],
    ['21 vaults, the holder among those that are named', 20, { vaults: [vault, address(9)] }, 'granted'],
    ['200 vaults of other contracts, or with rights', 0, {}, 'granted'],
  ])('planDelegations: counts what was filtered: %s', async (_, others, fields, verdict) => {
    const noise = Array.from({ length: 100 }, (__, at): ModelDelegation[] => [
      { ...full(address(0x20_000 + at)), hasRights: true },
      { ...full(address(0x30_000 + at)), type: 'contract', contract: OTHER_CONTRACT },
    ]).flat();
    const inbox = [...spam.slice(0, others), ...(others === 0 ? noise : []), full(vault)];
    const chain = new ModelChain(modelOf(5n, inbox));
    expect(summarize(await judge(chain, ruleOf({ minToken: '10', ...fields }), [own]))).toBe(verdict);
  });

  it('planDelegations: counts a vault once, however often it is named, and never an own wallet or what is for somebody else', async () => {
    const second = address(2);
    const inbox = [
      full(vault),
      { ...full(vault), type: 'contract' as const, contract: CONTRACT },
      full(second),
    ];
    const balances = new Map([...modelOf(1n, inbox).balances, [second, 2n]]);
    const twice = { balances, inboxes: new Map([own, second].map((to) => [to, inbox])) };
    const held = async (minToken: string) =>
      summarize(await judge(new ModelChain(twice), ruleOf({ minToken }), [own, second]));
    expect([await held('8'), await held('9')]).toEqual(['granted', 'not_granted']);
    const lying = new ModelChain(modelOf(1n, [{ ...full(vault), delegate: address(7) }]));
    expect(summarize(await judge(lying, ruleOf({ minToken: '6' }), [own]))).toBe('not_granted');
  });

  it('planDelegations: counts in a community what the member may claim, and asks for what was known where the inbox is too long', async () => {
    const claimed: string[][] = [];
    const vaults = (known: readonly string[], result: readonly string[]): MemberVaults => ({
      known,
      claim: (wanted) => {
        claimed.push([...wanted]);
        return Promise.resolve(result);
      },
      deny: () => undefined,
    });
    const rule = ruleOf({ minToken: '10' });
    const judgeWith = async (inbox: readonly ModelDelegation[], member: MemberVaults) =>
      summarize(await judge(new ModelChain(modelOf(5n, inbox)), rule, [own], member));
    expect(await judgeWith([full(vault)], vaults([], [vault]))).toBe('granted');
    expect(await judgeWith([full(vault)], vaults([], []))).toBe('not_granted');
    expect(await judgeWith([...spam, full(vault)], vaults([vault], [vault]))).toBe('granted');
    expect(await judgeWith([...spam, full(vault)], vaults([], []))).toBe('vaults_not_read');
    expect(claimed).toEqual([[vault], [vault], [vault]]);
  });

  it.each<[string, object, string]>([
    ['granted where another inbox has a vault that is enough', { minToken: '10' }, 'granted'],
    ['undetermined where it is not enough', { minToken: '11' }, 'unavailable'],
    ['not granted where it is too much', { minToken: '1', maxToken: '9' }, 'not_granted'],
    ['undetermined where more could be too much', { minToken: '1', maxToken: '20' }, 'unavailable'],
  ])('planDelegations: is %s and an inbox cannot be read', async (_, fields, verdict) => {
    const failingInbox = address(2);
    const registryFailure = createReadFailure('unavailable', 'the node is down');
    const chain = new ModelChain(modelOf(5n, [full(vault)], 5n, { registryFailure, failingInbox }));
    expect(summarize(await judge(chain, ruleOf(fields), [own, failingInbox]))).toBe(verdict);
  });

  it('planDelegations: is undetermined where a registry that has answered is missing', async () => {
    const registries = new KnownRegistriesService();
    const judgeWith = async (registryFailure?: ReadFailure) => {
      const chain = new ModelChain(modelOf(5n, [full(vault)], 5n, { registryFailure }));
      return summarize(await judge(chain, ruleOf({ minToken: '10' }), [own], undefined, registries));
    };
    const missing = createReadFailure('no_contract', 'no contract');
    expect([await judgeWith(missing), await judgeWith(), await judgeWith(missing)]).toEqual([
      'not_granted',
      'granted',
      'unavailable',
    ]);
  });

  it.each<[string, readonly ModelDelegation[], object, readonly string[]]>([
    ['nothing where own holdings decide', [], { minToken: '5' }, []],
    ['what has ended', [], { minToken: '6' }, [vault]],
    [
      'what is of another contract',
      [{ ...full(vault), type: 'contract', contract: OTHER_CONTRACT }],
      { minToken: '6' },
      [vault],
    ],
    ['nothing that lasts', [full(vault)], { minToken: '11' }, []],
    ['what has ended, in an inbox that is too long', spam, { minToken: '6' }, [vault]],
    ['nothing that lasts, in an inbox that is too long', [...spam, full(vault)], { minToken: '11' }, []],
    ['nothing that is too much to count', [...spam.slice(0, 30), full(vault)], { minToken: '11' }, []],
  ])('planDelegations: denies %s', async (_, inbox, fields, expected) => {
    const denied: string[] = [];
    const member: MemberVaults = {
      known: [vault],
      claim: (vaults) => Promise.resolve(vaults),
      deny: (vaults) => void denied.push(...vaults),
    };
    await judge(new ModelChain(modelOf(5n, inbox)), ruleOf(fields), [own], member);
    expect([...new Set(denied)]).toEqual(expected);
  });

  it.each([
    ['no registry that answers', createReadFailure('unavailable', 'down')],
    ['no registry', createReadFailure('no_contract', 'no contract')],
  ])('planDelegations: denies nothing with %s', async (_, registryFailure) => {
    const denied: string[] = [];
    const member: MemberVaults = {
      known: [vault],
      claim: (vaults) => Promise.resolve(vaults),
      deny: (vaults) => void denied.push(...vaults),
    };
    await judge(
      new ModelChain(modelOf(5n, [], 5n, { registryFailure })),
      ruleOf({ minToken: '6' }),
      [own],
      member,
    );
    expect(denied).toEqual([]);
  });

  it('planDelegations: asks for all vaults that counted before, however many they are', async () => {
    const known = [...Array.from({ length: 60 }, (_, at) => address(0x9000 + at)), vault];
    const member: MemberVaults = {
      known,
      claim: (vaults) => Promise.resolve(vaults),
      deny: () => undefined,
    };
    const chain = new ModelChain(modelOf(5n, [...spam, full(vault)]));
    expect(summarize(await judge(chain, ruleOf({ minToken: '10' }), [own], member))).toBe('granted');
  });

  it('planDelegations: asks by name at most 500 times, and denies nothing that was not asked', async () => {
    const known = Array.from({ length: 60 }, (_, at) => address(0x9000 + at));
    const denied: string[] = [];
    const member: MemberVaults = {
      known,
      claim: (vaults) => Promise.resolve(vaults),
      deny: (vaults) => void denied.push(...vaults),
    };
    const wallets = Array.from({ length: 25 }, (_, at) => address(at + 1));
    const chain = new ModelChain({
      balances: new Map(),
      inboxes: new Map(wallets.map((wallet) => [wallet, spam])),
    });
    expect(summarize(await judge(chain, ruleOf({ minToken: '1' }), wallets, member))).toBe('vaults_not_read');
    expect([chain.registryReads.length, new Set(denied)]).toEqual([525, new Set(known.slice(0, 20))]);
  });

  it('planDelegations: makes no more reads of inboxes that are too long than are counted', async () => {
    const wallets = Array.from({ length: 25 }, (_, at) => address(at + 1));
    const rule = ruleOf({
      minToken: '1',
      vaults: Array.from({ length: 20 }, (_, at) => address(0x9000 + at)),
    });
    const chain = new ModelChain({
      balances: new Map(),
      inboxes: new Map(wallets.map((wallet) => [wallet, spam])),
    });
    await judge(chain, rule, wallets);
    const counted = getRuleType(rule).countReads(rule as never, wallets.length);
    expect(chain.registryReads.length + wallets.length + 1).toBeLessThanOrEqual(counted);
  });

  it('planDelegations: judges as a plain model of own, vault and hidden holdings does', async () => {
    const delegation = fc.record({
      type: fc.constantFrom<ModelDelegation['type'][]>('all', 'all', 'contract', 'none', 'token'),
      vault: fc.integer({ min: 0x100, max: 0x118 }).map(address),
      contract: fc.constantFrom(CONTRACT, CONTRACT, OTHER_CONTRACT),
      hasRights: fc.boolean(),
    });
    const inbox = fc.oneof(
      { weight: 6, arbitrary: fc.array(delegation, { maxLength: 40 }) },
      { weight: 1, arbitrary: fc.array(delegation, { minLength: 257, maxLength: 260 }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(inbox, { minLength: 1, maxLength: 3 }),
        fc.array(fc.bigInt({ min: 0n, max: 4n }), { minLength: 3, maxLength: 3 }),
        fc.array(fc.bigInt({ min: 0n, max: 3n }), { minLength: 25, maxLength: 25 }),
        fc.record({
          min: fc.integer({ min: 0, max: 12 }),
          span: fc.option(fc.nat({ max: 12 })),
          named: fc.option(
            fc.array(fc.integer({ min: 0x100, max: 0x118 }).map(address), { minLength: 1, maxLength: 20 }),
          ),
        }),
        async (inboxes, ownAmounts, vaultAmounts, { min, span, named }) => {
          const addresses = inboxes.map((_, at) => address(at + 1));
          const balances = new Map<string, bigint>();
          addresses.forEach((one, at) => balances.set(one, ownAmounts[at] ?? 0n));
          vaultAmounts.forEach((amount, at) => balances.set(address(0x100 + at), amount));
          const max = span === null ? undefined : min + span;
          const rule = ruleOf({
            minToken: String(min),
            ...(max !== undefined && { maxToken: String(max) }),
            ...(named && { vaults: named }),
          });
          const model = { balances, inboxes: new Map(addresses.map((to, at) => [to, inboxes[at] ?? []])) };
          const expected = judgeModel(model, addresses, { min, max, named });
          expect(summarize(await judge(new ModelChain(model), rule, addresses))).toBe(expected);
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** The same in plain sets and sums. */
function judgeModel(
  { balances, inboxes }: Model,
  addresses: readonly string[],
  { min, max, named }: { min: number; max: number | undefined; named: readonly string[] | null },
): string {
  const sum = (holders: Iterable<string>) =>
    [...holders].reduce((total, holder) => total + (balances.get(holder) ?? 0n), 0n);
  const isWithin = (held: bigint) => held >= BigInt(min) && (max === undefined || held <= BigInt(max));
  const held = sum(addresses);
  if (max === undefined && isWithin(held)) return 'granted';
  if (max !== undefined && held > BigInt(max)) return 'not_granted';
  const all = addresses.map((to) => ({ to, inbox: inboxes.get(to) ?? [] }));
  const vaultsOf = (inbox: readonly ModelDelegation[]) =>
    inbox.filter((one) => counts(one, CONTRACT)).map((one) => one.vault as string);
  const read = new Set(
    all.filter(({ inbox }) => inbox.length <= 256).flatMap(({ inbox }) => vaultsOf(inbox)),
  );
  const hidden = new Set(
    all.filter(({ inbox }) => inbox.length > 256).flatMap(({ inbox }) => vaultsOf(inbox)),
  );
  const confirmed = (named ?? []).filter((one) => hidden.has(one));
  let vaults = new Set([...read, ...confirmed]);
  const isTooMany = vaults.size > 20;
  if (isTooMany) vaults = new Set((named ?? []).filter((one) => read.has(one) || hidden.has(one)));
  const isWhole = named !== null || (!isTooMany && all.every(({ inbox }) => inbox.length <= 256));
  const total = sum([...addresses, ...vaults]);
  if (isWithin(total)) return 'granted';
  return isWhole || (max !== undefined && total > BigInt(max)) ? 'not_granted' : 'vaults_not_read';
}
