import {
  type ContractRead,
  createBlockNumberRead,
  createErc721BalanceRead,
  createPoapDetailsRead,
  createReadFailure,
  type PoapDetails,
  type ReadFailure,
  type ReadResult,
} from '@app/chain/evm';
import { POAP_CONTRACT, type PoapRule } from '@app/dto';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { type Bounds, toBounds } from './bounds.js';
import type { ChainService } from './chains/chain.service.js';
import { createReadPlan } from './create-read-plan.js';
import { judgeQuantity, preferTransientFailure, type Quantity } from './judge-quantity.js';
import {
  MAX_ENUMERATED_TOKENS,
  RULE_READ_LIMIT_EXCEEDED,
  type RuleReadLimitFailure,
} from './rounds/rule-read-limit-failure.js';
import type { LoadContext, OffChainRuleType } from './rule-type.js';
import { NOT_GRANTED, toUndetermined, type Verdict } from './verdict.js';

/** Gnosis, where POAPs are minted, and Ethereum, to which holders may move them. */
const CHAIN_IDS: readonly number[] = [100, 1];
/** The next rounds are larger, because few accounts hold many. */
const FIRST_ROUND_READS = 100;
const MAX_ROUND_READS = 500;

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
  const holders = chainIds
    .map((chainId): Holder => {
      const read: ReadChain = (reads, block) =>
        chains.read(chainId, reads, { ...context, ...(block === undefined ? {} : { block }) });
      return { addresses: subject.getAddresses(chainId), read };
    })
    .filter(({ addresses }) => addresses.length > 0);
  if (holders.length === 0) return NOT_GRANTED;
  const bounds = toBounds(rule, 0);
  const counter = await countPoaps(rule.eventId, holders, bounds);
  const { quantity } = counter.isBlockGone ? await countPoaps(rule.eventId, holders, bounds) : counter;
  return judgeQuantity(quantity, bounds);
}

type ReadChain = <T>(reads: readonly ContractRead<T>[], block?: bigint) => Promise<ReadResult<T>[]>;

/** Addresses on one chain. */
interface Holder {
  readonly addresses: readonly string[];
  readonly read: ReadChain;
}

/** Reads until the verdict is certain, at most 5,000 POAPs of all addresses together. */
async function countPoaps(eventId: bigint, holders: readonly Holder[], bounds: Bounds): Promise<PoapCounter> {
  const counter = new PoapCounter(eventId, bounds);
  const balances = await Promise.all(holders.map((holder) => readBalances(holder, counter)));
  const held = balances.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0n);
  if (counter.quantity.unread === undefined && held < bounds.min) return counter;
  let room = BigInt(MAX_ENUMERATED_TOKENS);
  if (held > room) counter.addUnread(RULE_READ_LIMIT_EXCEEDED, undefined);
  await Promise.all(
    balances.map(({ holder, counts, block }) => {
      const readable = counts.map((count) => {
        const taken = count < room ? count : room;
        room -= taken;
        return Number(taken);
      });
      return readDetails(holder, readable, block, counter);
    }),
  );
  return counter;
}

interface Balances {
  readonly holder: Holder;
  /** One per address; 0 where it could not be read. */
  readonly counts: readonly bigint[];
  /** At which the details are read: the positions of POAPs change when one moves. */
  readonly block: bigint | undefined;
}

async function readBalances(holder: Holder, counter: PoapCounter): Promise<Balances> {
  const { addresses, read } = holder;
  const reads = addresses.map((address) => createErc721BalanceRead(POAP_CONTRACT, address));
  let balances = await read(reads);
  const block = await chooseBlock(balances, read);
  if (block !== undefined && balances.some((balance) => balance.ok && balance.blockNumber !== block))
    balances = await read(reads, block);
  const isUnpinned = block === undefined && balances.some(({ ok }) => ok);
  const counts = balances.map((balance) => {
    if (balance.ok && !isUnpinned) return balance.value;
    counter.addUnread(balance.ok ? NO_BLOCK : balance, undefined);
    return 0n;
  });
  return { holder, counts, block };
}

const NO_BLOCK = createReadFailure('block_unavailable', 'the nodes do not report their block');

/** The newest block of the results. Reads of quarantined contracts are made alone and report none. */
async function chooseBlock(
  results: readonly ReadResult<bigint>[],
  read: ReadChain,
): Promise<bigint | undefined> {
  let newest: bigint | undefined;
  for (const result of results) {
    const block = result.ok ? result.blockNumber : undefined;
    if (block !== undefined && (newest === undefined || block > newest)) newest = block;
  }
  if (newest !== undefined || !results.some(({ ok }) => ok)) return newest;
  const [head] = await read([createBlockNumberRead()]);
  return head?.ok ? head.blockNumber : undefined;
}

async function readDetails(
  { addresses, read }: Holder,
  counts: readonly number[],
  block: bigint | undefined,
  counter: PoapCounter,
): Promise<void> {
  // Made round by round, because an account may hold thousands.
  const reads = listDetailsReads(addresses, counts);
  for (let size = FIRST_ROUND_READS; !counter.hasEnough; size = MAX_ROUND_READS) {
    const round = Array.from({ length: size }, () => reads.next().value ?? []).flat();
    if (round.length === 0) return;
    for (const result of await read(round, block)) counter.add(result);
  }
}

function* listDetailsReads(
  addresses: readonly string[],
  counts: readonly number[],
): Generator<ContractRead<PoapDetails>, undefined> {
  for (const [at, address] of addresses.entries())
    for (let index = 0; index < (counts[at] ?? 0); index += 1)
      yield createPoapDetailsRead(POAP_CONTRACT, address, index);
}

type PoapFailure = ReadFailure | RuleReadLimitFailure;

/** The POAPs of one event that were read so far. */
class PoapCounter {
  /** A node has no longer the block of the balances. */
  isBlockGone = false;
  /** A POAP that moves while it is read, also from one chain to the other, keeps its id and counts once. */
  private readonly tokenIds = new Set<bigint>();
  private unread: { maxAmount: bigint | undefined; failure: PoapFailure } | undefined;

  constructor(
    private readonly eventId: bigint,
    private readonly bounds: Bounds,
  ) {}

  /** Whether further POAPs cannot change the verdict. */
  get hasEnough(): boolean {
    const { min, max } = this.bounds;
    return BigInt(this.tokenIds.size) >= (max === undefined ? min : max + 1n);
  }

  get quantity(): Quantity {
    return { known: BigInt(this.tokenIds.size), unread: this.unread };
  }

  add(result: ReadResult<PoapDetails>): void {
    if (!result.ok) this.addUnread(result, 1n);
    else if (result.value.eventId === this.eventId) this.tokenIds.add(result.value.tokenId);
  }

  /** @param maxAmount how many POAPs a failure may hide; any number when undefined */
  addUnread(failure: PoapFailure, maxAmount: bigint | undefined): void {
    const before = this.unread ? this.unread.maxAmount : 0n;
    this.unread = {
      maxAmount: before === undefined || maxAmount === undefined ? undefined : before + maxAmount,
      failure: preferTransientFailure(this.unread?.failure, failure),
    };
    this.isBlockGone ||= failure.code === 'block_unavailable';
  }
}
