import type { EvmAddress } from '@app/dto';
import { type NodeCallOutcome, RpcNodeError } from '../../shared/rpc-node-error.js';
import type { ChainInfo } from '../chains/chain-registry.js';
import { toBlockTag } from '../codec/eth-call.js';
import { encodeAddress, toLowerCaseAddress } from '../codec/abi-encode.js';
import { JsonRpcClient } from '../nodes/json-rpc-client.js';
import { parseReceivedIds, TRANSFER_TOPIC } from './parse-received-ids.js';

/** Some 700 logs. A longer answer fails. */
const MAX_RESPONSE_BYTES = 512 * 1024;
/** Nodes that are tried for one range. */
const MAX_NODES = 2;

export interface ReceivedTokensQuery {
  readonly contract: EvmAddress;
  /** In lower case. */
  readonly receivers: readonly string[];
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** The ids, or how the request to the last node ended. */
export type TransferLogResult =
  | { readonly ok: true; readonly ids: readonly bigint[] }
  | { readonly ok: false; readonly outcome: NodeCallOutcome };

/**
 * Reads ERC-721 transfers from the logs of nodes. Results are hints: no chain id and no block is compared. Failures do not
 * count against nodes, because the caller chooses how heavy a query is. The connections are apart from those of other reads.
 */
export class TransferLogReader {
  private readonly rpc: JsonRpcClient;

  /** Times in milliseconds. @param connections sockets per node */
  constructor(options: { connectTimeoutMs: number; requestTimeoutMs: number; connections: number }) {
    this.rpc = new JsonRpcClient({ ...options, maxResponseBytes: MAX_RESPONSE_BYTES });
  }

  /** The distinct ids of the tokens that the receivers got in the blocks, as the first node that answers says. */
  async readReceivedIds(
    { rpcUrls }: Pick<ChainInfo, 'rpcUrls'>,
    query: ReceivedTokensQuery,
    signal: AbortSignal,
  ): Promise<TransferLogResult> {
    let outcome: NodeCallOutcome = 'unavailable';
    for (const url of rpcUrls.slice(0, MAX_NODES)) {
      try {
        const request = { method: 'eth_getLogs', params: encodeParams(query) };
        const { result } = await this.rpc.requestJson(new URL(url), request, signal);
        return { ok: true, ids: parseReceivedIds(result, query) };
      } catch (error) {
        if (!(error instanceof RpcNodeError)) throw error;
        outcome = error.kind;
      }
    }
    return { ok: false, outcome };
  }

  /** Closes all connections at once; pending requests fail. */
  async close(): Promise<void> {
    await this.rpc.close();
  }
}

function encodeParams({ contract, receivers, fromBlock, toBlock }: ReceivedTokensQuery): string {
  const filter = {
    address: toLowerCaseAddress(contract),
    fromBlock: toBlockTag(fromBlock),
    toBlock: toBlockTag(toBlock),
    topics: [TRANSFER_TOPIC, null, receivers.map((receiver) => `0x${encodeAddress(receiver)}`)],
  };
  return JSON.stringify([filter]);
}
