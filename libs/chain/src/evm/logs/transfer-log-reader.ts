import type { EvmAddress } from '@app/dto';
import { type NodeCallOutcome, RpcNodeError } from '../../node/rpc-node-error.js';
import type { ChainInfo } from '../chains/chain-registry.js';
import { toBlockTag } from '../../reads/evm/call-params.js';
import { toLowerCaseAddress } from '../../reads/evm/abi-codec.js';
import { JsonRpcClient, type JsonRpcErrorObject } from '../../node/evm/json-rpc-client.js';
import { toJsonRpcError } from '../../node/evm/to-json-rpc-error.js';
import { type BlockSpan, isLogRangeRefusal, LogRange } from './log-range.js';
import {
  createConsecutiveTransferTopics,
  createTransferTopics,
  type IdRange,
  parseReceivedIds,
  parseReceivedRanges,
} from './parse-received-ids.js';

/** The most bytes of an answer, some 700 logs. A longer answer fails. */
const MAX_RESPONSE_BYTES = 512 * 1024;
/** Nodes that are tried for one range. */
const MAX_NODES = 2;
/** Blocks of one request to a node that has refused none. */
const MAX_BLOCKS = 2_000n;

export interface ReceivedTokensQuery {
  readonly contract: EvmAddress;
  /** Receivers in lower case. */
  readonly receivers: readonly string[];
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** What the receivers got: single tokens, and ranges of tokens that were minted in a batch. */
export interface ReceivedTokens {
  readonly ids: readonly bigint[];
  /** Ranges in ascending order, without overlaps. */
  readonly ranges: readonly IdRange[];
}

/** The tokens of the newest blocks of the query, or how the request to the last node ended. `refusals` are ranges of blocks that a node did not serve. */
export type TransferLogResult = { readonly refusals: number } & (
  | (ReceivedTokens & { readonly ok: true; readonly fromBlock: bigint })
  | { readonly ok: false; readonly outcome: NodeCallOutcome }
);

/**
 * Reads transfers of ERC-721, and those of batches (ERC-2309), from the logs of nodes. Results are hints: no chain id and no block is compared. Failures do not
 * count against nodes, because the caller chooses how heavy a query is. The connections are apart from those of other reads.
 */
export class TransferLogReader {
  private readonly rpc: JsonRpcClient;
  /** Block ranges that nodes accept, by URL. */
  private readonly ranges = new Map<string, LogRange>();

  /** Times in milliseconds. @param connections sockets per node */
  constructor(options: { connectTimeoutMs: number; requestTimeoutMs: number; connections: number }) {
    this.rpc = new JsonRpcClient({ ...options, maxResponseBytes: MAX_RESPONSE_BYTES });
  }

  /**
   * The tokens that the receivers got in the newest blocks of the query, in as many as the first node that answers serves at once.
   * The two events have the receiver in different topics, so that each range of blocks takes two requests at the same time.
   */
  async readReceivedTokens(
    { rpcUrls }: Pick<ChainInfo, 'rpcUrls'>,
    query: ReceivedTokensQuery,
    signal: AbortSignal,
  ): Promise<TransferLogResult> {
    let outcome: NodeCallOutcome = 'unavailable';
    let refusals = 0;
    const isRefusal = (error: unknown): boolean => {
      const isRefused = isRangeRefusal(error);
      if (isRefused) refusals += 1;
      return isRefused;
    };
    for (const url of rpcUrls.slice(0, MAX_NODES)) {
      const range = this.ranges.get(url) ?? new LogRange(MAX_BLOCKS);
      this.ranges.set(url, range);
      const getLogs = async (span: BlockSpan, topics: readonly unknown[]): Promise<unknown> => {
        const request = { method: 'eth_getLogs', params: encodeParams(query.contract, span, topics) };
        return (await this.rpc.requestJson(new URL(url), request, signal, toLogError)).result;
      };
      const ask = async (span: BlockSpan): Promise<ReceivedTokens> => {
        const [transfers, consecutive] = await Promise.all([
          getLogs(span, createTransferTopics(query.receivers)),
          getLogs(span, createConsecutiveTransferTopics(query.receivers)),
        ]);
        return {
          ids: parseReceivedIds(transfers, query),
          ranges: parseReceivedRanges(consecutive, query),
        };
      };
      try {
        const { answer, fromBlock } = await range.read(query, ask, { isRefusal, backwards: true });
        return { ok: true, ...answer, fromBlock, refusals };
      } catch (error) {
        if (!(error instanceof RpcNodeError)) throw error;
        outcome = error.kind;
      }
    }
    return { ok: false, outcome, refusals };
  }

  /** Closes all connections at once; pending requests fail. */
  async close(): Promise<void> {
    await this.rpc.close();
  }
}

/** Keeps from the text of a node's error whether it refuses the range. */
const toLogError = (error: JsonRpcErrorObject): RpcNodeError =>
  isLogRangeRefusal(error)
    ? new RpcNodeError('too_heavy', `the node refused a range of blocks with error ${error.code}`)
    : toJsonRpcError(error);

/**
 * Whether the failure is about the range: some providers refuse ranges by status 400, and the text of such a response
 * is not read.
 */
const isRangeRefusal = (error: unknown): boolean =>
  error instanceof RpcNodeError &&
  ((error.kind === 'too_heavy' && error.details.timedOut !== true) || error.details.httpStatus === 400);

function encodeParams(
  contract: EvmAddress,
  { fromBlock, toBlock }: BlockSpan,
  topics: readonly unknown[],
): string {
  const filter = {
    address: toLowerCaseAddress(contract),
    fromBlock: toBlockTag(fromBlock),
    toBlock: toBlockTag(toBlock),
    topics,
  };
  return JSON.stringify([filter]);
}
