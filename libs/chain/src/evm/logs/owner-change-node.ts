import { isContractError, RpcNodeError } from '../../node/rpc-node-error.js';
import { toBlockTag } from '../../reads/evm/call-params.js';
import type { JsonRpcClient, JsonRpcErrorObject } from '../../node/evm/json-rpc-client.js';
import { toJsonRpcError } from '../../node/evm/to-json-rpc-error.js';
import { type BlockSpan, isLogRangeRefusal, LogRange } from './log-range.js';
import { OWNER_CHANGE_TOPICS, type OwnerChange, parseOwnerChanges } from './owner-change-logs.js';

/** Blocks of one request to a node that has refused none. */
const MAX_BLOCKS = 2_000n;
/** Contracts of one request to a node that has refused none: 45 KB. */
const MAX_CONTRACTS = 1_000;
/** Answers after which a node that refused many contracts at once is asked for twice as many. */
const GROW_AFTER_ANSWERS = 256;
/** Requests of one search for the contracts whose logs a node refuses, beside one for each part that the search begins with. The next call goes on with the rest. */
const MAX_SEARCH_REQUESTS = 64;
/** Timed out contracts that end a search: a node that is slow for everybody is not asked for each contract. */
const MAX_TIMED_OUT = 4;
/** Searches of a node in which a contract has to time out, while the node answers for the silent contract, before it is blamed. */
const MIN_TIMED_OUT_SEARCHES = 3;
/** Refused contracts of one owner, after which the other contracts of this owner are not asked for one by one. */
const MAX_REFUSED_PER_OWNER = 4;
/** Nobody emits logs from the zero address: a node that refuses these serves no logs at all. */
const SILENT_CONTRACT = `0x${'0'.repeat(40)}`;

/** A contract whose logs are read. */
export interface WatchedContract {
  /** The address in lower case. */
  readonly address: string;
  /** The tenant that alone asked for the contract; undefined where several did. */
  readonly owner: string | undefined;
}

/** The logs of the oldest blocks of a span, in as many blocks as the node serves. */
export interface OwnerChanges {
  /** The last block that was read; the one before the span where none was. */
  readonly toBlock: bigint;
  readonly changes: readonly OwnerChange[];
  /** Contracts of which the node refused the logs of a single block. The logs of this block are not part of `changes`. */
  readonly refused: readonly string[];
}

/**
 * Reads changes of owners from one node, and learns how many blocks and contracts it serves at once. A contract chooses how many logs it
 * emits: where a node refuses a single block of many contracts, they are halved until those are known that it refuses alone, twice.
 */
export class OwnerChangeNode {
  private readonly url: URL;
  private range = new LogRange(MAX_BLOCKS);
  private contractsAtOnce = MAX_CONTRACTS;
  private answers = 0;
  /** The block whose search ended with contracts that timed out and are not blamed yet. A call reads the blocks before it, or searches it again. */
  private suspectBlock: bigint | undefined;
  /** How many searches of this block each of these contracts has timed out in. */
  private readonly timedOutSearches = new Map<string, number>();

  constructor(
    url: string,
    private readonly rpc: Pick<JsonRpcClient, 'request' | 'requestJson'>,
    private readonly onRequest: (method: string) => void,
  ) {
    this.url = new URL(url);
  }

  /** Rejects only with RpcNodeError. */
  async readChainId(signal: AbortSignal): Promise<bigint> {
    return this.readQuantity('eth_chainId', signal);
  }

  /** Rejects only with RpcNodeError. */
  async readHead(signal: AbortSignal): Promise<bigint> {
    return this.readQuantity('eth_blockNumber', signal);
  }

  /**
   * Rejects with RpcNodeError where the node serves no logs, also none of a contract without any. A node behind a load balancer may not have
   * the newest blocks whose number another one named: then the older half is read.
   */
  async read(
    contracts: readonly WatchedContract[],
    span: BlockSpan,
    signal: AbortSignal,
  ): Promise<OwnerChanges> {
    try {
      return await this.readServed(contracts, span, signal);
    } catch (error) {
      const isMissing = error instanceof RpcNodeError && error.details.blockMissing === true;
      if (!isMissing || span.fromBlock >= span.toBlock) throw error;
      const { fromBlock, toBlock } = span;
      return this.read(
        contracts,
        { fromBlock, toBlock: fromBlock + (toBlock - fromBlock - 1n) / 2n },
        signal,
      );
    }
  }

  private async readServed(
    contracts: readonly WatchedContract[],
    span: BlockSpan,
    signal: AbortSignal,
  ): Promise<OwnerChanges> {
    const { fromBlock } = span;
    if (this.suspectBlock !== undefined && this.suspectBlock < fromBlock) this.forgetSuspects();
    if (this.suspectBlock !== fromBlock) {
      try {
        const ask = (asked: BlockSpan) => this.askInParts(contracts, asked, signal);
        const { answer, toBlock } = await this.range.read(this.endBeforeSuspects(span), ask, { isRefusal });
        return { toBlock, changes: answer, refused: [] };
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
    const block = { fromBlock, toBlock: fromBlock };
    await this.ask([SILENT_CONTRACT], block, signal);
    // The refusal was for the contracts, and says nothing about blocks.
    this.range = new LogRange(MAX_BLOCKS);
    return this.search(contracts, block, signal);
  }

  private endBeforeSuspects({ fromBlock, toBlock }: BlockSpan): BlockSpan {
    const last = this.suspectBlock === undefined ? toBlock : this.suspectBlock - 1n;
    return { fromBlock, toBlock: last < toBlock ? last : toBlock };
  }

  private forgetSuspects(): void {
    this.suspectBlock = undefined;
    this.timedOutSearches.clear();
  }

  private async readQuantity(method: string, signal: AbortSignal): Promise<bigint> {
    this.onRequest(method);
    const { result } = await this.rpc.request(this.url, { method, params: '[]' }, signal);
    // A quantity above 2^53 is no block number and no chain id of any chain.
    if (result === '0x' || result.length > MAX_QUANTITY_LENGTH)
      throw new RpcNodeError('unavailable', 'the node answered without a number');
    return BigInt(result);
  }

  private async askInParts(
    contracts: readonly WatchedContract[],
    span: BlockSpan,
    signal: AbortSignal,
  ): Promise<OwnerChange[]> {
    const changes: OwnerChange[] = [];
    for (let start = 0; start < contracts.length; start += this.contractsAtOnce) {
      const part = contracts.slice(start, start + this.contractsAtOnce);
      for (const change of await this.ask(toAddresses(part), span, signal)) changes.push(change);
    }
    this.answers += 1;
    if (this.answers % GROW_AFTER_ANSWERS === 0)
      this.contractsAtOnce = Math.min(MAX_CONTRACTS, this.contractsAtOnce * 2);
    return changes;
  }

  /**
   * Halves the contracts of a block until each part is answered or is one contract, which is then suspected. Contracts of one owner stand
   * together. Rejects where the block was not read, and no contract is to blame.
   */
  private async search(
    contracts: readonly WatchedContract[],
    block: BlockSpan,
    signal: AbortSignal,
  ): Promise<OwnerChanges> {
    const changes: OwnerChange[] = [];
    const suspects: WatchedContract[] = [];
    const skipped: WatchedContract[] = [];
    let timedOut = 0;
    let largest = 0;
    let leastRefused = contracts.length;
    let requests = 0;
    const waiting = this.split(contracts.toSorted((a, b) => ((a.owner ?? '') < (b.owner ?? '') ? -1 : 1)));
    const maxRequests = MAX_SEARCH_REQUESTS + waiting.length;
    for (let part = waiting.pop(); part; part = waiting.pop()) {
      const asked = part.filter((contract) => !isOwnedByMany(contract, suspects));
      skipped.push(...part.filter((contract) => isOwnedByMany(contract, suspects)));
      const [first] = asked;
      if (!first) continue;
      // Each suspect is asked once more, after the silent contract.
      if (requests + suspects.length + 1 >= maxRequests || timedOut >= MAX_TIMED_OUT) {
        waiting.push(asked);
        break;
      }
      requests += 1;
      const result = await this.askPart(asked, block, signal, { shortTimeout: true });
      if (Array.isArray(result)) {
        for (const change of result) changes.push(change);
        largest = Math.max(largest, asked.length);
      } else if (asked.length > 1) {
        leastRefused = asked.length;
        waiting.push(...halve(asked));
      } else {
        suspects.push(first);
        if (isTimeout(result)) timedOut += 1;
      }
    }
    if (suspects.length === 0) {
      this.contractsAtOnce = largest || Math.ceil(leastRefused / 2);
      if (waiting.length > 0)
        throw new RpcNodeError('too_heavy', 'the node refused logs of several contracts at once');
      this.forgetSuspects();
      return { toBlock: block.toBlock, changes, refused: [] };
    }
    const { blamed, error } = await this.blame(suspects, block, signal, changes);
    const exhausted = skipped.filter((contract) => isOwnedByMany(contract, blamed));
    const isRead = !error && waiting.length === 0 && exhausted.length === skipped.length;
    if (error) this.suspectBlock = block.fromBlock;
    else if (isRead) this.forgetSuspects();
    if (blamed.length === 0 && !isRead)
      throw error ?? new RpcNodeError('too_heavy', 'the node refused logs, and then answered');
    const refused = toAddresses([...blamed, ...exhausted]);
    return isRead
      ? { toBlock: block.toBlock, changes, refused }
      : { toBlock: block.fromBlock - 1n, changes: [], refused };
  }

  /**
   * Asks suspects once more and with the whole timeout, after the node has shown that it serves logs. A contract that only times out is blamed
   * after several searches: a node that is slow for a while is slow for everybody.
   * @param changes gets the logs of suspects that are answered now
   * @returns the timeout of a suspect that is not blamed yet as `error`
   */
  private async blame(
    suspects: readonly WatchedContract[],
    block: BlockSpan,
    signal: AbortSignal,
    changes: OwnerChange[],
  ): Promise<{ readonly blamed: readonly WatchedContract[]; readonly error: RpcNodeError | undefined }> {
    await this.ask([SILENT_CONTRACT], block, signal);
    const blamed: WatchedContract[] = [];
    let error: RpcNodeError | undefined;
    for (const suspect of suspects) {
      const result = await this.askPart([suspect], block, signal);
      if (Array.isArray(result)) {
        for (const change of result) changes.push(change);
        continue;
      }
      const searches = (this.timedOutSearches.get(suspect.address) ?? 0) + 1;
      if (isTimeout(result)) this.timedOutSearches.set(suspect.address, searches);
      if (isTimeout(result) && searches < MIN_TIMED_OUT_SEARCHES) error = result;
      else blamed.push(suspect);
    }
    return { blamed, error };
  }

  /** The parts with which a search begins: no larger than what the node served before, and smaller than what it has just refused. */
  private split(contracts: readonly WatchedContract[]): (readonly WatchedContract[])[] {
    if (contracts.length <= this.contractsAtOnce) return halve(contracts);
    return Array.from({ length: Math.ceil(contracts.length / this.contractsAtOnce) }, (_, index) =>
      contracts.slice(index * this.contractsAtOnce, (index + 1) * this.contractsAtOnce),
    );
  }

  /** @returns the logs, or the refusal */
  private async askPart(
    contracts: readonly WatchedContract[],
    block: BlockSpan,
    signal: AbortSignal,
    options?: { readonly shortTimeout: boolean },
  ): Promise<OwnerChange[] | RpcNodeError> {
    try {
      return await this.ask(toAddresses(contracts), block, signal, options);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return error;
    }
  }

  private async ask(
    contracts: readonly string[],
    { fromBlock, toBlock }: BlockSpan,
    signal: AbortSignal,
    { shortTimeout = false } = {},
  ): Promise<OwnerChange[]> {
    this.onRequest('eth_getLogs');
    const filter = {
      address: contracts,
      fromBlock: toBlockTag(fromBlock),
      toBlock: toBlockTag(toBlock),
      topics: [OWNER_CHANGE_TOPICS],
    };
    const request = { method: 'eth_getLogs', params: JSON.stringify([filter]), shortTimeout };
    const { result } = await this.rpc.requestJson(this.url, request, signal, toLogError);
    return parseOwnerChanges(result, new Set(contracts), { fromBlock, toBlock });
  }
}

/** 0x and the digits of 2^53. */
const MAX_QUANTITY_LENGTH = 16;

const toAddresses = (contracts: readonly WatchedContract[]): string[] =>
  contracts.map(({ address }) => address);

function halve<T>(list: readonly T[]): (readonly T[])[] {
  if (list.length < 2) return [list];
  const middle = Math.ceil(list.length / 2);
  return [list.slice(middle), list.slice(0, middle)];
}

const isTimeout = ({ details }: RpcNodeError): boolean => details.timedOut === true;

/** Whether so many of these contracts are of the same owner that the others of this owner are not asked for. */
const isOwnedByMany = ({ owner }: WatchedContract, found: readonly WatchedContract[]): boolean =>
  owner !== undefined && found.filter((each) => each.owner === owner).length >= MAX_REFUSED_PER_OWNER;

/** How nodes say that they do not have the last block of a range yet, each beside the words of other missing blocks. */
const BEYOND_HEAD_PATTERN =
  /beyond (the )?(current )?head|(to|from) ?block\b.* (is )?(after|beyond|greater than|ahead of)\b.*\b(head|latest|last|current|block)\b/i;
/** The pattern takes time that grows with the square of the text, which a node chooses. */
const MAX_MATCHED_LENGTH = 500;

/** Keeps from the text of a node's error whether it refuses the range, or does not have its last block. */
function toLogError(error: JsonRpcErrorObject): RpcNodeError {
  const { code, message } = error;
  if (BEYOND_HEAD_PATTERN.test(message.slice(0, MAX_MATCHED_LENGTH)))
    return new RpcNodeError('unavailable', `the node does not have the block: error ${code}`, {
      unexplained: false,
      blockMissing: true,
    });
  if (isLogRangeRefusal(error))
    return new RpcNodeError('too_heavy', `the node refused logs with error ${code}`);
  return toJsonRpcError(error);
}

/**
 * Whether fewer blocks or contracts may help. No list knows all texts with which nodes refuse, so an error that no list knows counts, too:
 * what a node refuses for another reason, it refuses for the silent contract.
 */
function isRefusal(error: unknown): error is RpcNodeError {
  if (!(error instanceof RpcNodeError)) return false;
  const { kind, details } = error;
  if (details.aborted || details.retryAfterMs !== undefined) return false;
  const isUnknown = details.unexplained === true || details.timedOut === true || details.httpStatus === 400;
  return kind === 'too_heavy' || isUnknown || isContractError(error);
}
