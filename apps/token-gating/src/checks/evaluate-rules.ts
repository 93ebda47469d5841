import type { TokenGatingRule } from '@app/dto';
import {
  type ChainService,
  type ChainRead,
  type ChainReadOptions,
  TOO_MANY_READS,
} from '../rules/chains/chain.service.js';
import { excludeChains, type SubjectAddresses } from '../subjects/subject-addresses.js';
import { createReadPlan } from '../rules/create-read-plan.js';
import { planDelegations } from '../rules/delegations/plan-delegations.js';
import {
  getReadChainId,
  type ReadPlan,
  resolveTokenIds,
  isNextStep,
  type ReadValue,
} from '../rules/rule-type.js';
import type { RuleServices } from '../rules/rule-services.js';
import { getRuleType } from '../rules/rule-type-registry.js';
import {
  NOT_APPLICABLE,
  NOT_GRANTED,
  type RuleFailure,
  toUndetermined,
  type Undetermined,
  type Verdict,
} from '../rules/verdict.js';
import {
  countReads,
  isTokenListFailure,
  type LoadedRule,
  loadTokenLists,
  type TokenListService,
} from './token-list.service.js';
import { checkReadBudget, MAX_READS } from './validate-rules.js';
import type { WalletLookupFailure } from '../rules/rule-failures.js';
import { CHECK_TIMEOUT_MS, type ReadResult } from '@app/chain/evm';
import { createNamedAccountCheck, type NamedAccountCheck } from '../rules/named-account-check.js';
import { finishPlans, type RoundOptions } from '../rules/rounds/finish-plans.js';
import { listParts, type StartedPlan, startPlan } from '../rules/rounds/running-plan.js';

/** The parts of the app that an evaluation reads with. */
interface EvaluationParts {
  readonly chains: ChainService;
  readonly tokenLists: TokenListService;
  readonly services: RuleServices;
}

/**
 * Evaluates rules for addresses: token lists are loaded, reads planned and made, and their results judged. Expects valid rules.
 * @param observer notes by which results the rules are judged
 * @returns a planned rule and a verdict for each rule, in order
 * @throws AppError 400 for too many reads
 */
export async function evaluateRules(
  rules: readonly TokenGatingRule[],
  addresses: SubjectAddresses | WalletLookupFailure,
  options: ChainReadOptions,
  parts: EvaluationParts,
  observer?: PlanObserver,
): Promise<{ planned: PlannedRule[]; verdicts: Verdict[] }> {
  const startedAt = performance.now();
  const { chains } = parts;
  const plans =
    'code' in addresses
      ? rules.map((rule) => planFailedRule(rule, addresses))
      : await loadAndPlan(rules, addresses, options.tenantId, parts);
  const planned = observer ? observer.observe(plans) : plans;
  const named = 'code' in addresses ? undefined : createNamedAccountCheck(addresses, chains);
  const outcomes = await readPlans(planned, chains, options, named);
  const createOptions = (): RoundOptions => ({
    chains,
    ...options,
    // Background reads have no time limit while they wait for a turn.
    ...(options.lane !== 'background' && {
      signal: options.signal ?? AbortSignal.timeout(toRemainingMs(startedAt)),
    }),
  });
  const judged = named
    ? judgeNamedAccount(planned, outcomes, named, createOptions)
    : judgeRules(planned, outcomes, createOptions);
  return { planned, verdicts: judged instanceof Promise ? await judged : judged };
}

const toRemainingMs = (startedAt: number): number =>
  Math.max(0, Math.ceil(CHECK_TIMEOUT_MS - (performance.now() - startedAt)));

/** @throws AppError 400 when the rules need too many reads for this many addresses */
async function loadAndPlan(
  rules: readonly TokenGatingRule[],
  addresses: SubjectAddresses,
  tenantId: string,
  { chains, tokenLists, services }: EvaluationParts,
): Promise<PlannedRule[]> {
  const { maxCount } = addresses;
  if (maxCount > 1) checkReadBudget(rules, maxCount);
  const loaded = rules.some((rule) => addresses.getAddresses(getReadChainId(rule)).length > 0)
    ? await loadTokenLists(rules, tokenLists, { tenantId, addressCount: maxCount, maxReads: MAX_READS })
    : [];
  if (!chains.hasRoom(tenantId, countReads(loaded, maxCount)))
    return rules.map((rule) => planFailedRule(rule, TOO_MANY_READS));
  return planRules(rules, loaded, addresses, chains, services);
}

/** A rule and its reads. The plan is undefined when the account has no address on the rule's chain. */
export interface PlannedRule {
  readonly rule: TokenGatingRule;
  readonly plan: ReadPlan | undefined;
  /** Plans a rule of several chains again without chains on which a named account does not count. */
  readonly planWithout?: (excluded: ReadonlySet<number>) => ReadPlan;
}

/** What a plan was judged by last. */
export interface Observation {
  readonly plan: ReadPlan;
  readonly outcomes: PlanOutcomes;
}

/**
 * Notes by which results of their first reads plans are judged, for explanations. A plan may be judged several times, because its
 * first reads are repeated at one block: the last results count.
 */
export class PlanObserver {
  private readonly observations: (Observation | undefined)[] = [];

  /** The same plans, observed. */
  observe(planned: readonly PlannedRule[]): PlannedRule[] {
    return planned.map(({ rule, plan, planWithout }, index) => ({
      rule,
      plan: plan && this.watch(plan, index),
      ...(planWithout && { planWithout: (excluded) => this.watch(planWithout(excluded), index) }),
    }));
  }

  /** @param index of the rule. @returns undefined where nothing was judged */
  find(index: number): Observation | undefined {
    return this.observations[index];
  }

  private watch(plan: ReadPlan, index: number): ReadPlan {
    return {
      ...plan,
      judge: (outcomes, isReused) => {
        this.observations[index] = { plan, outcomes };
        return plan.judge(outcomes, isReused);
      },
    };
  }
}

/** @param loaded one entry per rule, or empty when the account has no address on any chain */
export function planRules(
  rules: readonly TokenGatingRule[],
  loaded: readonly LoadedRule[],
  subject: SubjectAddresses,
  chains: Pick<ChainService, 'find'>,
  services: RuleServices,
): PlannedRule[] {
  return rules.map((rule, index) => {
    const ruleType = getRuleType(rule);
    if ('planSubject' in ruleType) {
      const resolved = resolveTokenIds(rule, undefined);
      const plan = ruleType.planSubject(resolved, subject, services);
      if (!subject.named) return { rule, plan };
      const planWithout = (excluded: ReadonlySet<number>) =>
        ruleType.planSubject(resolved, excludeChains(subject, excluded), services);
      return { rule, plan, planWithout };
    }
    const chainId = getReadChainId(rule);
    const [chain, resolved] = [chains.find(chainId), loaded[index]];
    const addresses = subject.getAddresses(chainId);
    if (addresses.length === 0 || !chain || !resolved) return { rule, plan: undefined };
    if (isTokenListFailure(resolved)) return planFailedRule(rule, resolved);
    const planFor = (holders: readonly string[]) => ruleType.planReads(resolved, holders, chain, services);
    const plan = planFor(addresses);
    if (!('delegations' in resolved) || resolved.delegations === undefined) return { rule, plan };
    const { registries } = services;
    const delegate = { rule: resolved, addresses, chainId, registries, memberVaults: subject.vaults };
    return { rule, plan: planDelegations(delegate, { plan, planFor }) };
  });
}

/** A plan without reads whose verdict is undetermined. */
export function planFailedRule(rule: TokenGatingRule, failure: RuleFailure): PlannedRule {
  return { rule, plan: createReadPlan([], () => toUndetermined(failure)) };
}

/**
 * Judges rules: a verdict for each, in order, without a promise where no rule needs a further step.
 * @param createOptions called only if one does
 */
function judgeRules(
  planned: readonly PlannedRule[],
  outcomes: readonly PlanOutcomes[],
  createOptions: () => RoundOptions,
): Verdict[] | Promise<Verdict[]> {
  const unfinished: { readonly index: number; readonly started: StartedPlan }[] = [];
  const verdicts = planned.map(({ rule, plan }, index): Verdict => {
    const results = outcomes[index] ?? [];
    if (!plan) return NOT_APPLICABLE;
    const judgement = plan.judge(results);
    if (!isNextStep(judgement)) return judgement;
    unfinished.push({ index, started: startPlan(getReadChainId(rule), plan, results) });
    return NOT_GRANTED;
  });
  if (unfinished.length === 0) return verdicts;
  return finishPlans(
    unfinished.map(({ started }) => started),
    createOptions(),
  ).then((finished) => {
    unfinished.forEach(({ index }, at) => {
      const verdict = finished[at];
      if (verdict) verdicts[index] = verdict;
    });
    return verdicts;
  });
}

type PlanOutcomes = readonly ReadResult<ReadValue>[];

interface ChainReads {
  readonly reads: ChainRead<ReadValue>[];
  /** The place of each rule's outcomes in the reads of its chain. */
  readonly slices: {
    readonly rule: number;
    readonly part: number;
    readonly start: number;
    readonly end: number;
  }[];
}

/**
 * Reads each chain once for all rules, with the code of the account where it decides whether the account counts.
 * @returns one list of outcomes per rule, in the order of the rules
 */
async function readPlans(
  planned: readonly PlannedRule[],
  chains: Pick<ChainService, 'read'>,
  options: ChainReadOptions,
  named?: NamedAccountCheck,
): Promise<PlanOutcomes[]> {
  const outcomes = planned.map((): PlanOutcomes[] => []);
  const byChain = groupByChain(planned);
  const codeChains = new Set(named?.listUnreadChains(byChain.keys()));
  for (const chainId of codeChains)
    if (!byChain.has(chainId)) byChain.set(chainId, { reads: [], slices: [] });
  const readChain = async ([chainId, { reads, slices }]: [number, ChainReads]): Promise<void> => {
    const codeReads = named && codeChains.has(chainId) ? [named.codeRead] : [];
    const results = await chains.read<ReadValue>(chainId, [...reads, ...codeReads], options);
    // The result of a code read is a boolean.
    if (codeReads.length > 0) named?.record(chainId, results[reads.length] as ReadResult<boolean>);
    for (const { rule, part, start, end } of slices) {
      const ofRule = outcomes[rule];
      if (ofRule) ofRule[part] = results.slice(start, end);
    }
  };
  await Promise.all(Array.from(byChain, readChain));
  return outcomes.map((parts) => (parts.length > 1 ? parts.flat() : (parts[0] ?? [])));
}

function groupByChain(planned: readonly PlannedRule[]): Map<number, ChainReads> {
  const byChain = new Map<number, ChainReads>();
  planned.forEach(({ rule, plan }, index) => {
    if (!plan || plan.reads.length === 0) return;
    listParts(plan, getReadChainId(rule)).forEach(({ chainId, start: first, end: last }, part) => {
      let chain = byChain.get(chainId);
      if (!chain) byChain.set(chainId, (chain = { reads: [], slices: [] }));
      const start = chain.reads.length;
      for (let at = first; at < last; at += 1) {
        const read = plan.reads[at];
        if (read) chain.reads.push(read);
      }
      chain.slices.push({ rule: index, part, start, end: chain.reads.length });
    });
  });
  return byChain;
}

/**
 * A rule is judged once where it is known on which chains the account counts. Where that is unknown it is judged twice: for the
 * fewest chains on which the account may count, and for the most.
 */
interface Judgement {
  readonly cases: readonly { readonly planned: PlannedRule; readonly outcomes: PlanOutcomes }[];
  /** The reason for which the chains on which the account counts are unknown. */
  readonly failure?: RuleFailure | undefined;
  /** Equal verdicts for the fewest and the most chains hold for every number between. */
  readonly isMonotonic: boolean;
}

/**
 * Judges an account that names a chain: a verdict per rule, in order. Holdings on chains where it does not count are
 * left out. Where that is unknown, a rule is undetermined only if it could change the verdict.
 * @param outcomes of `planned`. @param named has the codes of the account
 */
export async function judgeNamedAccount(
  planned: readonly PlannedRule[],
  outcomes: readonly PlanOutcomes[],
  named: NamedAccountCheck,
  createOptions: () => RoundOptions,
): Promise<Verdict[]> {
  const judgements = planned.map((rule, index) => toJudgement(rule, outcomes[index] ?? [], named));
  const cases = judgements.flatMap((judgement) => judgement.cases);
  const verdicts = await judgeRules(
    cases.map((one) => one.planned),
    cases.map((one) => one.outcomes),
    createOptions,
  );
  let done = 0;
  return judgements.map(({ cases: { length }, failure, isMonotonic }) => {
    const [least = NOT_GRANTED, most = least] = verdicts.slice(done, (done += length));
    if (!failure) return least;
    if (!isMonotonic || least.kind !== most.kind) return toUndetermined(failure);
    switch (most.kind) {
      case 'undetermined':
        return toUndetermined(failure);
      case 'granted':
        return withoutExactAmount(most);
      case 'not_granted': {
        const mayApply = least.kind === 'not_granted' && least.applies === false && most.applies !== false;
        return withoutExactAmount(mayApply ? { ...most, applies: failure } : most);
      }
    }
  });
}

/** A verdict that holds whatever the unknown codes are, while the amount that counts depends on them. */
const withoutExactAmount = (verdict: Exclude<Verdict, Undetermined>): Verdict =>
  verdict.comparison
    ? {
        ...verdict,
        comparison: {
          ...verdict.comparison,
          quantity: { ...verdict.comparison.quantity, isMinimum: true },
        },
      }
    : verdict;

function toJudgement(planned: PlannedRule, outcomes: PlanOutcomes, named: NamedAccountCheck): Judgement {
  const { rule, plan } = planned;
  const all = { planned, outcomes };
  // Rules without reads ask for codes themselves, if they depend on them.
  if (!plan || plan.reads.length === 0) return { cases: [all], isMonotonic: true };
  const elsewhere = new Set<number>();
  const unknown = new Set<number>();
  let failure: RuleFailure | undefined;
  for (const { chainId } of listParts(plan, getReadChainId(rule))) {
    const counting = named.countsOn(chainId);
    if (counting === false) elsewhere.add(chainId);
    if (typeof counting === 'boolean') continue;
    unknown.add(chainId);
    failure ??= counting;
  }
  if (elsewhere.size === 0 && unknown.size === 0) return { cases: [all], isMonotonic: true };
  const most = elsewhere.size === 0 ? all : excludePlanChains(planned, outcomes, elsewhere);
  if (unknown.size === 0) return { cases: [most], isMonotonic: true };
  const least = excludePlanChains(planned, outcomes, new Set([...elsewhere, ...unknown]));
  return { cases: [least, most], failure, isMonotonic: unknown.size === 1 || rule.maxToken === undefined };
}

/** The rule and its outcomes without those of some chains; without a plan where nothing is left. */
function excludePlanChains(
  { rule, plan, planWithout }: PlannedRule,
  outcomes: PlanOutcomes,
  excluded: ReadonlySet<number>,
): Judgement['cases'][number] {
  if (!plan || !planWithout) return { planned: { rule, plan: undefined }, outcomes: [] };
  const left = planWithout(excluded);
  return { planned: { rule, plan: left }, outcomes: pickOutcomes(plan, left, outcomes) };
}

/** The outcomes of the chains that are left: for each of them both plans have the same reads. */
const pickOutcomes = (plan: ReadPlan, left: ReadPlan, outcomes: PlanOutcomes): PlanOutcomes =>
  (left.parts ?? []).flatMap(({ chainId }) => {
    const part = plan.parts?.find((one) => one.chainId === chainId);
    return part ? outcomes.slice(part.start, part.end) : [];
  });
