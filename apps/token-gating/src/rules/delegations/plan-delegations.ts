import {
  createDelegationCheckRead,
  createDelegationsRead,
  createInboxRead,
  createReadFailure,
  type Delegation,
  type DelegationInbox,
  type ReadFailure,
  type ReadResult,
} from '@app/chain/evm';
import { type DelegatingRule, type EvmAddress, MAX_VAULTS } from '@app/dto';
import type { MemberVaults } from '../../subjects/subject-addresses.js';
import { type Holders, judgeQuantity, preferTransientFailure } from '../judge-quantity.js';
import { VAULTS_NOT_READ } from '../rule-failures.js';
import type { KnownRegistriesService } from './known-registries.service.js';
import { isNextStep, type NextStep, type ReadPlan, type ReadStep, type ReadValue } from '../rule-type.js';
import { type RuleFailure, toUndetermined, type Verdict } from '../verdict.js';
import { selectVaults } from './select-vaults.js';

/** Hashes that are read together with the length of an inbox: an ordinary inbox needs no second read. */
const FIRST_HASHES = 4;
/** Entries of an inbox that are read at most. Anybody may fill it: this many cost their author 28 million gas, and their reader 3. */
const MAX_INBOX_ENTRIES = 256;
/** What one call answers stays below the 4,096 bytes that no well-behaved contract exceeds: 3,936 and 3,648 bytes. */
const HASHES_PER_READ = 120;
const DELEGATIONS_PER_READ = 16;

/** Checks of vaults by name: as many as 20 vaults need for the maximum of wallets. Members with fewer wallets have more vaults asked. */
const MAX_CHECKS = 500;

/** The last byte of a hash says the type: everything, or one contract. */
const COUNTED_TYPES: readonly string[] = ['01', '02'];

/** The steps of the rule for own holdings, five for the registry and the claim, and those of the rule for vaults. */
const MAX_STEPS = 21;

const LAGGING_NODE = createReadFailure('unavailable', 'a node knows fewer delegations than another one');
/** The registry of a chain cannot end, so that a node without it is not one of the chain, or lags. */
const MISSING_REGISTRY = createReadFailure('unavailable', 'a node does not know the registry of delegations');

/** The rule and the subject of a plan. */
interface Delegate {
  readonly rule: DelegatingRule & { readonly contractAddress: EvmAddress };
  /** At least one, in lower case. */
  readonly addresses: readonly string[];
  readonly chainId: number;
  readonly registries: KnownRegistriesService;
  /** What a community remembers of the subject's vaults; undefined in checks of others. */
  readonly memberVaults: MemberVaults | undefined;
}

/** How the plan of the rule judged, and how it would for further addresses, whose reads come after those of the first ones. */
interface OwnHoldings {
  readonly plan: ReadPlan;
  readonly planFor: (addresses: readonly string[]) => ReadPlan;
}

/**
 * The reads that depend on the subject: of the holdings of its addresses and, with `delegations`, of the vaults that may count, of each
 * inbox, and of the vaults that the rule names for each inbox.
 */
export const countSubjectReads = (
  { delegations, vaults = [] }: DelegatingRule,
  addressCount: number,
  readsPerHolder: number,
): number =>
  delegations === undefined
    ? addressCount * readsPerHolder
    : (addressCount + MAX_VAULTS) * readsPerHolder + addressCount * (1 + vaults.length);

/**
 * Counts what vaults hold that have delegated themselves to the subject, where own holdings do not decide. Vaults only add: without
 * `maxToken` own holdings decide as soon as they are enough, with it only when they are too many. An undetermined rule stays so.
 */
export function planDelegations(subject: Delegate, own: OwnHoldings): ReadPlan {
  const { plan } = own;
  return {
    ...plan,
    maxSteps: MAX_STEPS,
    judge: (outcomes, isReused = false) =>
      continueWith(plan.judge(outcomes, isReused), (verdict) =>
        mayBeChanged(verdict)
          ? new Delegations(subject, own, { verdict, outcomes, isReused }).readInboxes()
          : verdict,
      ),
  };
}

/** What the plan of the rule says of the subject's own addresses. */
interface OwnJudgement {
  readonly verdict: Verdict;
  readonly outcomes: readonly ReadResult<ReadValue>[];
  readonly isReused: boolean;
}

/** An address of the subject whose inbox has some hashes that count, or is too long. */
interface Inbox {
  readonly address: string;
  /** Undefined where the inbox is too long to be read. */
  readonly hashes: readonly string[] | undefined;
}

/** The steps from own holdings to those of vaults. Nothing is kept between judgements, because each may be repeated. */
class Delegations {
  /** Vaults that the rule names come first, because they stand for all. */
  private readonly named: readonly string[];

  constructor(
    private readonly subject: Delegate,
    private readonly holdings: OwnHoldings,
    private readonly own: OwnJudgement,
  ) {
    const { rule, memberVaults, addresses } = subject;
    const named = new Set<string>([...(rule.vaults ?? []), ...(memberVaults?.known ?? [])]);
    this.named = [...named].filter((vault) => !addresses.includes(vault));
  }

  readInboxes(): NextStep {
    const { addresses, chainId, registries } = this.subject;
    const reads = addresses.map((address) => createInboxRead(address, 0, FIRST_HASHES));
    return atNewestBlock(reads, (inboxes: readonly ReadResult<DelegationInbox>[]) => {
      if (inboxes.some(({ ok }) => ok)) registries.add(chainId);
      // A chain without the registry has no delegations.
      else if (!registries.has(chainId) && inboxes.every(isMissing)) return this.own.verdict;
      return this.readHashes(inboxes);
    });
  }

  /** Reads the hashes that the first read left out. An inbox that could not be read shows no vaults, and those of others count. */
  private readHashes(inboxes: readonly ReadResult<DelegationInbox>[]): Verdict | NextStep {
    const failure = findFailure(inboxes);
    const begun = this.subject.addresses.map((address, index) => {
      const inbox = inboxes[index];
      const { length, hashes } = inbox?.ok ? inbox.value : { length: 0n, hashes: [] };
      return { address, hashes, length: length > MAX_INBOX_ENTRIES ? undefined : Number(length) };
    });
    const rest = begun.flatMap(({ address, hashes, length = 0 }) =>
      toChunks(length - hashes.length, HASHES_PER_READ).map(({ start, count }) => ({
        address,
        count,
        read: createInboxRead(address, hashes.length + start, count),
      })),
    );
    const collect = (further: readonly ReadResult<DelegationInbox>[]) =>
      begun.map(({ address, hashes, length }): Inbox => {
        if (length === undefined) return { address, hashes: undefined };
        const others = rest.flatMap((part, at) => {
          const result = further[at];
          return part.address === address && result?.ok ? result.value.hashes : [];
        });
        return { address, hashes: [...hashes, ...others].filter(mayCount) };
      });
    if (rest.length === 0) return this.readDelegations(collect([]), failure);
    return atNewestBlock(
      rest.map(({ read }) => read),
      (further: readonly ReadResult<DelegationInbox>[]) => {
        // The list never becomes shorter, so a node that knows less of it lags.
        const isShort = rest.some(({ count }, at) => {
          const result = further[at];
          return result?.ok && result.value.hashes.length < count;
        });
        const later = findFailure(further) ?? (isShort ? LAGGING_NODE : undefined);
        return this.readDelegations(collect(further), joinFailures(failure, later));
      },
    );
  }

  /** Reads what the hashes stand for, and asks about named vaults where an inbox is too long. */
  private readDelegations(inboxes: readonly Inbox[], failure: ReadFailure | undefined): Verdict | NextStep {
    const { contractAddress } = this.subject.rule;
    const lists = inboxes.flatMap(({ address, hashes = [] }) =>
      toChunks(hashes.length, DELEGATIONS_PER_READ).map(({ start, count }) => ({
        address,
        read: createDelegationsRead(hashes.slice(start, start + count)),
      })),
    );
    const unread = inboxes.filter(({ hashes }) => hashes === undefined);
    const asked = this.named.slice(0, Math.floor(MAX_CHECKS / Math.max(1, unread.length)));
    const checks = unread.flatMap(({ address }) =>
      asked.map((vault) => ({
        vault,
        read: createDelegationCheckRead(address, vault, contractAddress),
      })),
    );
    const select = (
      listed: readonly Listed[],
      answers: readonly ReadResult<boolean>[],
      later?: ReadFailure,
    ) =>
      this.claim(listed, {
        confirmed: checks.flatMap(({ vault }, at) => {
          const answer = answers[at];
          return answer?.ok && answer.value ? [vault] : [];
        }),
        hasUnreadInbox: unread.length > 0,
        notAsked: unread.length > 0 ? this.named.slice(asked.length) : [],
        failure: joinFailures(failure, later),
      });
    if (lists.length + checks.length === 0) return select([], []);
    const reads = [...lists.map(({ read }) => read), ...checks.map(({ read }) => read)];
    return atNewestBlock(reads, (results) => {
      const listed = lists.flatMap(({ address }, at) => {
        const result = results[at] as ReadResult<readonly Delegation[]> | undefined;
        return result?.ok ? result.value.map((delegation) => ({ address, delegation })) : [];
      });
      const answers = results.slice(lists.length) as readonly ReadResult<boolean>[];
      return select(listed, answers, findFailure(results));
    });
  }

  private claim(
    delegations: readonly Listed[],
    { confirmed, hasUnreadInbox, notAsked, failure }: Answers,
  ): Verdict | NextStep {
    const { addresses, rule, memberVaults } = this.subject;
    const { vaults, all, isComplete } = selectVaults(
      { delegations, named: this.named, confirmed, hasUnreadInbox },
      { own: addresses, contract: rule.contractAddress },
    );
    // Vaults that the request names stand for all.
    const isWhole = isComplete || rule.vaults !== undefined;
    const hidden = failure ?? (isWhole ? undefined : VAULTS_NOT_READ);
    if (!memberVaults) return this.readVaults(vaults, hidden);
    const isDenied = (vault: string) => !all.includes(vault) && !notAsked.includes(vault);
    if (!failure) memberVaults.deny(memberVaults.known.filter(isDenied));
    if (vaults.length === 0) return this.readVaults(vaults, hidden);
    return { kind: 'load', load: async () => this.readVaults(await memberVaults.claim(vaults), hidden) };
  }

  /** Judges what the subject and its vaults hold together. @param hidden why there may be other vaults */
  private readVaults(vaults: readonly string[], hidden: RuleFailure | undefined): Verdict | NextStep {
    const { own } = this;
    if (vaults.length === 0) return settle(own.verdict, hidden);
    const addresses = [...this.subject.addresses, ...vaults];
    const plan = this.holdings.planFor(addresses);
    const judge = (outcomes: readonly ReadResult<ReadValue>[]) =>
      continueWith(plan.judge(outcomes, own.isReused), (verdict) =>
        settle(withHolders(verdict, { addresses, vaults, outcomes }), hidden),
      );
    // Reads that do not depend on the addresses, such as the owners of token ids, say it of vaults too.
    const further = plan.reads.slice(own.outcomes.length);
    if (further.length === 0) return judge(own.outcomes);
    return { kind: 'read', reads: further, judge: (results) => judge([...own.outcomes, ...results]) };
  }
}

interface Listed {
  readonly address: string;
  readonly delegation: Delegation;
}

/** What the registry said beside the delegations of the inboxes that were read. */
interface Answers {
  /** Vaults that were asked by name, and have delegated themselves. */
  readonly confirmed: readonly string[];
  readonly hasUnreadInbox: boolean;
  /** Vaults that were named and, being too many, not asked. */
  readonly notAsked: readonly string[];
  /** Why some reads say nothing. */
  readonly failure: ReadFailure | undefined;
}

/** Whether further holdings could make another verdict of this one. */
function mayBeChanged(verdict: Verdict): boolean {
  if (verdict.kind === 'undetermined' || !verdict.comparison) return false;
  const { quantity, bounds } = verdict.comparison;
  const more = { known: quantity.known, unread: { maxAmount: undefined, failure: VAULTS_NOT_READ } };
  return judgeQuantity(more, bounds).kind === 'undetermined';
}

/** What is granted without the vaults that too many others hide stays granted; what a failed read hides may be too much. */
function settle(verdict: Verdict, hidden: RuleFailure | undefined): Verdict {
  if (!hidden || verdict.kind === 'undetermined') return verdict;
  if (hidden === VAULTS_NOT_READ && verdict.kind === 'granted') return verdict;
  return mayBeChanged(verdict) ? toUndetermined(hidden) : verdict;
}

const withHolders = (verdict: Verdict, holders: Holders): Verdict =>
  verdict.kind === 'undetermined' || !verdict.comparison
    ? verdict
    : { ...verdict, comparison: { ...verdict.comparison, holders } };

const mayCount = (hash: string): boolean => COUNTED_TYPES.includes(hash.slice(-2));

const isMissing = (result: ReadResult<unknown>): boolean => !result.ok && result.code === 'no_contract';

/** A failed read of the registry hides any vault. */
function findFailure(results: readonly ReadResult<unknown>[]): ReadFailure | undefined {
  let failure: ReadFailure | undefined;
  for (const result of results)
    if (!result.ok) failure = preferTransientFailure(failure, isMissing(result) ? MISSING_REGISTRY : result);
  return failure;
}

const joinFailures = (first: ReadFailure | undefined, later: ReadFailure | undefined) =>
  later ? preferTransientFailure(first, later) : first;

/** Positions of all entries, so many at a time. */
const toChunks = (length: number, size: number): { start: number; count: number }[] =>
  Array.from({ length: Math.ceil(Math.max(0, length) / size) }, (_, at) => ({
    start: at * size,
    count: Math.min(size, length - at * size),
  }));

/** What the registry says need not be of the block of the holdings, and is shared by all rules. */
function atNewestBlock<Value extends ReadValue>(
  reads: ReadStep['reads'],
  judge: (outcomes: readonly ReadResult<Value>[]) => Verdict | NextStep,
): ReadStep {
  return {
    kind: 'read',
    reads,
    isUnpinned: true,
    judge: (outcomes) => judge(outcomes as readonly ReadResult<Value>[]),
  };
}

/** Goes on with a verdict, now or after the steps that lead to it. */
function continueWith(
  judgement: Verdict | NextStep,
  next: (verdict: Verdict) => Verdict | NextStep,
): Verdict | NextStep {
  if (!isNextStep(judgement)) return next(judgement);
  if (judgement.kind === 'read')
    return { ...judgement, judge: (outcomes) => continueWith(judgement.judge(outcomes), next) };
  return { ...judgement, load: async (context) => continueWith(await judgement.load(context), next) };
}
