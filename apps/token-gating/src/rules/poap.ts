import {
  type ContractRead,
  createErc721BalanceRead,
  createPoapDetailsRead,
  createReadFailure,
  type PoapDetails,
  type ReadResult,
} from '@app/chain/evm';
import { POAP_CONTRACT, type PoapRule } from '@app/dto';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { type Bounds, toBounds, judgeQuantity, type Quantity } from './judge-quantity.js';
import type { ChainService } from './chains/chain.service.js';
import { createMultiChainReadPlan, createMultiChainReadStep, createReadPlan } from './create-read-plan.js';
import { MAX_ENUMERATED_TOKENS, RULE_READ_LIMIT_EXCEEDED } from './rule-failures.js';
import type { MultiChainRuleType, NextStep } from './rule-type.js';
import { addUnread, addUnreadable } from './traits/held-tokens.js';
import { NOT_APPLICABLE, toUndetermined, type Verdict } from './verdict.js';

/** Gnosis, where POAPs are minted, and Ethereum, to which holders may move them. */
const CHAIN_IDS: readonly number[] = [100, 1];
/** POAPs of one chain in a round. Each round doubles it, because few accounts hold many. */
const FIRST_ROUND_POAPS = 100;

type Chains = Pick<ChainService, 'find'>;

/** Counts the POAPs of an event that the addresses hold, on all chains of the rule together. */
export const poap: MultiChainRuleType<PoapRule> = {
  type: 'POAP',
  countReads: ({ chainId }, addressCount) => addressCount * (chainId === undefined ? CHAIN_IDS.length : 1),
  findProblem: (rule, { chains }) =>
    listChainIds(rule, chains).length > 0
      ? undefined
      : {
          field: 'chainId',
          message: `is required: this deployment has no node of the chains of POAPs (${CHAIN_IDS.join(', ')})`,
        },
  planSubject: (rule, subject, { chains }) => {
    const chainIds = listChainIds(rule, chains);
    if (chainIds.length === 0) return createReadPlan([], () => toUndetermined(NO_NODE));
    const wallets = listWallets(chainIds, subject);
    if (wallets.length === 0) return createReadPlan([], () => NOT_APPLICABLE);
    const reads = wallets.map(({ chainId, addresses }) => ({
      chainId,
      reads: addresses.map((address) => createErc721BalanceRead(POAP_CONTRACT, address)),
    }));
    return createMultiChainReadPlan(reads, (balances) => new PoapCount(rule, wallets, balances).judge());
  },
};

const NO_NODE = createReadFailure('unknown_chain', 'no chain of POAPs has a node');

/** The chain of the rule, or those of all POAPs that have a node in this deployment. */
const listChainIds = ({ chainId }: PoapRule, chains: Chains): readonly number[] =>
  chainId === undefined ? CHAIN_IDS.filter((id) => (chains.find(id)?.rpcUrls.length ?? 0) > 0) : [chainId];

/** Addresses on one chain. */
interface Wallets {
  readonly chainId: number;
  readonly addresses: readonly string[];
}

const listWallets = (chainIds: readonly number[], subject: SubjectAddresses): Wallets[] =>
  chainIds
    .map((chainId) => ({ chainId, addresses: subject.getAddresses(chainId) }))
    .filter(({ addresses }) => addresses.length > 0);

/** The POAPs of one address on one chain, by their positions. */
interface Holding {
  readonly address: string;
  /** The first one that is not read. */
  next: number;
  readonly end: number;
}

/** Reads until the verdict is certain, at most 5,000 POAPs of all addresses together. */
class PoapCount {
  private readonly bounds: Bounds;
  private readonly chains: { readonly chainId: number; readonly holdings: readonly Holding[] }[];
  /** POAPs that were not read yet. */
  private remaining = 0;
  /** A POAP that moves while it is read, also from one chain to the other, keeps its id and counts once. */
  private readonly tokenIds = new Set<bigint>();
  private unread: Quantity['unread'];

  /** @param balances of the addresses of all chains, in order */
  constructor(
    private readonly rule: PoapRule,
    wallets: readonly Wallets[],
    balances: readonly ReadResult<bigint>[],
  ) {
    this.bounds = toBounds(rule, 0);
    const results = balances.values();
    this.chains = wallets.map(({ chainId, addresses }) => ({
      chainId,
      holdings: addresses.map((address) => ({ address, next: 0, end: this.admit(results.next().value) })),
    }));
  }

  /** The verdict as soon as further POAPs cannot change it. */
  judge(roundSize = FIRST_ROUND_POAPS): Verdict | NextStep {
    const known = BigInt(this.tokenIds.size);
    const remaining = BigInt(this.remaining);
    const unread = remaining > 0n ? addUnread(this.unread, remaining, RULE_READ_LIMIT_EXCEEDED) : this.unread;
    const verdict = judgeQuantity({ known, unread }, this.bounds);
    if (verdict.kind !== 'undetermined' || remaining === 0n) return verdict;
    const round = this.chains.map(({ chainId, holdings }) => ({
      chainId,
      reads: this.takeReads(holdings, roundSize),
    }));
    return createMultiChainReadStep(
      round.filter(({ reads }) => reads.length > 0),
      (details) => {
        for (const result of details) this.add(result);
        return this.judge(2 * roundSize);
      },
    );
  }

  /** @returns how many POAPs of an address may be read */
  private admit(balance: ReadResult<bigint> | undefined): number {
    if (!balance) return 0;
    if (!balance.ok) {
      this.unread = addUnreadable(this.unread, balance);
      return 0;
    }
    const room = BigInt(MAX_ENUMERATED_TOKENS - this.remaining);
    const admitted = balance.value < room ? balance.value : room;
    const beyond = balance.value - admitted;
    if (beyond > 0n) this.unread = addUnread(this.unread, beyond, RULE_READ_LIMIT_EXCEEDED);
    this.remaining += Number(admitted);
    return Number(admitted);
  }

  private takeReads(holdings: readonly Holding[], count: number): ContractRead<PoapDetails>[] {
    const reads: ContractRead<PoapDetails>[] = [];
    for (const holding of holdings)
      for (; holding.next < holding.end && reads.length < count; holding.next += 1)
        reads.push(createPoapDetailsRead(POAP_CONTRACT, holding.address, holding.next));
    this.remaining -= reads.length;
    return reads;
  }

  private add(result: ReadResult<PoapDetails>): void {
    if (!result.ok) this.unread = addUnread(this.unread, 1n, result);
    else if (result.value.eventId === this.rule.eventId) this.tokenIds.add(result.value.tokenId);
  }
}
