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
/** Requests of one search for the contracts whose logs a node refuses. The next call goes on with the rest. */
const MAX_SEARCH_REQUESTS = 64;
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
 * emits: where a node refuses a single block of many contracts, they are halved until those are known that it refuses alone.
 */
export class OwnerChangeNode {
  private readonly url: URL;
  private range = new LogRange(MAX_BLOCKS);
  private contractsAtOnce = MAX_CONTRACTS;
  private answers = 0;

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

  /** Rejects with RpcNodeError where the node serves no logs, also none of a contract without any. */
  async read(
    contracts: readonly WatchedContract[],
    span: BlockSpan,
    signal: AbortSignal,
  ): Promise<OwnerChanges> {
    try {
      const ask = (asked: BlockSpan) => this.askInParts(contracts, asked, signal);
      const { answer, toBlock } = await this.range.read(span, ask, { isRefusal });
      return { toBlock, changes: answer, refused: [] };
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    const block = { fromBlock: span.fromBlock, toBlock: span.fromBlock };
    await this.ask([SILENT_CONTRACT], block, signal);
    // The refusal was for the contracts, and says nothing about blocks.
    this.range = new LogRange(MAX_BLOCKS);
    return this.search(contracts, block, signal);
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

  /** Halves the contracts of a block until each part is answered or is one contract. Contracts of one owner stand together. */
  private async search(
    contracts: readonly WatchedContract[],
    block: BlockSpan,
    signal: AbortSignal,
  ): Promise<OwnerChanges> {
    const found: OwnerChange[] = [];
    const refused: string[] = [];
    const refusedByOwner = new Map<string, number>();
    const isExhausted = ({ owner }: WatchedContract): boolean =>
      owner !== undefined && (refusedByOwner.get(owner) ?? 0) >= MAX_REFUSED_PER_OWNER;
    let largest = 0;
    let requests = 0;
    const waiting = halve(contracts.toSorted((a, b) => ((a.owner ?? '') < (b.owner ?? '') ? -1 : 1)));
    for (let part = waiting.pop(); part; part = waiting.pop()) {
      refused.push(...toAddresses(part.filter(isExhausted)));
      const asked = part.filter((contract) => !isExhausted(contract));
      const [first] = asked;
      if (!first) continue;
      if (requests === MAX_SEARCH_REQUESTS) return { toBlock: block.fromBlock - 1n, changes: [], refused };
      requests += 1;
      try {
        for (const change of await this.ask(toAddresses(asked), block, signal, { shortTimeout: true }))
          found.push(change);
        largest = Math.max(largest, asked.length);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (asked.length > 1) waiting.push(...halve(asked));
        else {
          refused.push(first.address);
          if (first.owner !== undefined)
            refusedByOwner.set(first.owner, (refusedByOwner.get(first.owner) ?? 0) + 1);
        }
      }
    }
    if (refused.length === 0) this.contractsAtOnce = Math.max(1, largest);
    return { toBlock: block.toBlock, changes: found, refused };
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

/** Keeps from the text of a node's error whether it refuses the range. */
const toLogError = (error: JsonRpcErrorObject): RpcNodeError =>
  isLogRangeRefusal(error)
    ? new RpcNodeError('too_heavy', `the node refused logs with error ${error.code}`)
    : toJsonRpcError(error);

/**
 * Whether fewer blocks or contracts may help. No list knows all texts with which nodes refuse, so an error that no list knows counts, too:
 * what a node refuses for another reason, it refuses for the silent contract.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof RpcNodeError)) return false;
  const { kind, details } = error;
  if (details.aborted || details.retryAfterMs !== undefined) return false;
  const isUnknown = details.unexplained === true || details.timedOut === true || details.httpStatus === 400;
  return kind === 'too_heavy' || isUnknown || isContractError(error);
}
