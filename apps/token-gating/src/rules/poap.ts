import {
  type ContractRead,
  createErc721BalanceRead,
  createPoapDetailsRead,
  createReadFailure,
  type PoapDetails,
  type ReadFailure,
  type ReadResult,
} from '@app/chain/evm';
import { POAP_CONTRACT, type PoapRule } from '@app/dto';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { toBounds } from './bounds.js';
import type { ChainService } from './chains/chain.service.js';
import { createReadPlan } from './create-read-plan.js';
import { judgeQuantity, preferTransientFailure, type Quantity } from './judge-quantity.js';
import {
  MAX_ENUMERATED_TOKENS,
  RULE_READ_LIMIT_EXCEEDED,
  type RuleReadLimitFailure,
} from './rounds/rule-read-limit-failure.js';
import type { LoadContext, OffChainRuleType } from './rule-type.js';
import { toUndetermined, type Verdict } from './verdict.js';

/** Gnosis, where POAPs are minted, and Ethereum, to which holders may move them. */
const CHAIN_IDS: readonly number[] = [100, 1];
/** The next rounds are larger, because few accounts hold many. */
const FIRST_ROUND_READS = 100;
const ROUND_GROWTH = 4;

type Chains = Pick<ChainService, 'find' | 'read'>;

/** Counts the POAPs of an event that the addresses hold, on all chains of the rule together. */
export const poap: OffChainRuleType<PoapRule> = {
  type: 'POAP',
  countReads: () => 0,
  findProblem: (rule, { chains }) =>
    listChainIds(rule, chains).length > 0
      ? undefined
      : {
          field: 'chainId',
          message: `is required: this deployment has no node of the chains of POAPs (${CHAIN_IDS.join(', ')})`,
        },
  planLoad: (rule, subject, { chains }) =>
    createReadPlan([], () => ({
      kind: 'load',
      load: (context) => judgePoaps(rule, subject, chains, context),
    })),
};

/** The chain of the rule, or those of all POAPs that have a node in this deployment. */
const listChainIds = ({ chainId }: PoapRule, chains: Chains): readonly number[] =>
  chainId === undefined ? CHAIN_IDS.filter((id) => (chains.find(id)?.rpcUrls.length ?? 0) > 0) : [chainId];

async function judgePoaps(
  rule: PoapRule,
  subject: SubjectAddresses,
  chains: Chains,
  context: LoadContext,
): Promise<Verdict> {
  const chainIds = listChainIds(rule, chains);
  if (chainIds.length === 0)
    return toUndetermined(createReadFailure('unknown_chain', 'no chain of POAPs has a node'));
  const bounds = toBounds(rule, 0);
  const counter = new PoapCounter(rule.eventId, bounds.max === undefined ? bounds.min : bounds.max + 1n);
  await Promise.all(
    chainIds.map((chainId) =>
      countOnChain(counter, subject.getAddresses(chainId), (reads, block) =>
        chains.read(chainId, reads, { ...context, ...(block === undefined ? {} : { block }) }),
      ),
    ),
  );
  return judgeQuantity(counter.quantity, bounds);
}

type ReadChain = <T>(reads: readonly ContractRead<T>[], block?: bigint) => Promise<ReadResult<T>[]>;

/** Reads until the counter has enough, at most 5,000 POAPs of all addresses together. */
async function countOnChain(
  counter: PoapCounter,
  addresses: readonly string[],
  read: ReadChain,
): Promise<void> {
  if (addresses.length === 0) return;
  const { balances, block } = await readBalances(addresses, read);
  const details: ContractRead<PoapDetails>[] = [];
  balances.forEach((balance, at) => {
    const address = addresses[at];
    if (address === undefined) return;
    if (!balance.ok) {
      counter.addUnread(balance, undefined);
      return;
    }
    const room = BigInt(MAX_ENUMERATED_TOKENS - details.length);
    if (balance.value > room) counter.addUnread(RULE_READ_LIMIT_EXCEEDED, undefined);
    const count = Number(balance.value > room ? room : balance.value);
    for (let index = 0; index < count; index += 1)
      details.push(createPoapDetailsRead(POAP_CONTRACT, address, index));
  });
  let size = FIRST_ROUND_READS;
  for (let start = 0; start < details.length && !counter.hasEnough; size *= ROUND_GROWTH) {
    const round = details.slice(start, start + size);
    for (const result of await read(round, block)) counter.add(result);
    start += round.length;
  }
}

/** The balances at one block, at which the further reads are made. */
async function readBalances(
  addresses: readonly string[],
  read: ReadChain,
): Promise<{ balances: ReadResult<bigint>[]; block: bigint | undefined }> {
  const reads = addresses.map((address) => createErc721BalanceRead(POAP_CONTRACT, address));
  const balances = await read(reads);
  let block: bigint | undefined;
  for (const balance of balances) {
    const own = balance.ok ? balance.blockNumber : undefined;
    if (own !== undefined && (block === undefined || own > block)) block = own;
  }
  const isAtOneBlock = balances.every((balance) => !balance.ok || balance.blockNumber === block);
  return { balances: isAtOneBlock ? balances : await read(reads, block), block };
}

/** The POAPs of one event that were read so far. */
class PoapCounter {
  /** A POAP that moves while it is read, also from one chain to the other, keeps its id and counts once. */
  private readonly tokenIds = new Set<bigint>();
  private unread: { maxAmount: bigint | undefined; failure: ReadFailure | RuleReadLimitFailure } | undefined;

  constructor(
    private readonly eventId: bigint,
    private readonly enough: bigint,
  ) {}

  /** Whether further POAPs cannot change the verdict. */
  get hasEnough(): boolean {
    return BigInt(this.tokenIds.size) >= this.enough;
  }

  get quantity(): Quantity {
    return { known: BigInt(this.tokenIds.size), unread: this.unread };
  }

  add(result: ReadResult<PoapDetails>): void {
    if (!result.ok) this.addUnread(result, 1n);
    else if (result.value.eventId === this.eventId) this.tokenIds.add(result.value.tokenId);
  }

  /** @param maxAmount how many POAPs a failure may hide; any number when undefined */
  addUnread(failure: ReadFailure | RuleReadLimitFailure, maxAmount: bigint | undefined): void {
    const before = this.unread ? this.unread.maxAmount : 0n;
    this.unread = {
      maxAmount: before === undefined || maxAmount === undefined ? undefined : before + maxAmount,
      failure: preferTransientFailure(this.unread?.failure, failure),
    };
  }
}
