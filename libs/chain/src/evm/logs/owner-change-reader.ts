import { MINUTE_MS } from '@app/common';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import { JsonRpcClient } from '../../node/evm/json-rpc-client.js';
import type { NodeHttpLimits } from '../../http/node-http-client.js';
import type { ChainInfo } from '../chains/chain-registry.js';
import type { BlockSpan } from './log-range.js';
import { OwnerChangeNode, type OwnerChanges, type WatchedContract } from './owner-change-node.js';

/** The most bytes of an answer, some 6,000 logs. A node that answers more is asked for less. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** A URL may lead to another chain after a change of its configuration. */
const CHAIN_ID_CHECK_MS = 5 * MINUTE_MS;
/** Nodes that are tried for one head. */
const MAX_NODES = 3;

/** `ok` is false where the node does not serve logs, or lies about them. */
export type OwnerChangesResult =
  | ({ readonly ok: true } & OwnerChanges)
  | { readonly ok: false; readonly reason: string };

/** The newest block of a node, and the logs before it, which have to come from the same node: another one may be behind. */
export interface OwnerChangeHead {
  readonly block: bigint;
  /** Reads the oldest blocks of the span. */
  readonly read: (
    contracts: readonly WatchedContract[],
    span: BlockSpan,
    signal: AbortSignal,
  ) => Promise<OwnerChangesResult>;
}

/** Reads changes of owners from the nodes of one chain. The connections are apart from those of other reads, and failures do not count against nodes. */
export class OwnerChangeReader {
  private readonly rpc: JsonRpcClient;
  private readonly nodes: readonly OwnerChangeNode[];
  /** The time, by `performance.now()`, until which a node is known to serve the chain. */
  private readonly verifiedUntil = new Map<OwnerChangeNode, number>();

  constructor(
    private readonly chain: Pick<ChainInfo, 'id' | 'rpcUrls'>,
    options: Omit<NodeHttpLimits, 'maxResponseBytes' | 'connections'> & {
      readonly onRequest: (method: string) => void;
    },
  ) {
    this.rpc = new JsonRpcClient({ ...options, maxResponseBytes: MAX_RESPONSE_BYTES, connections: 1 });
    this.nodes = chain.rpcUrls.map((url) => new OwnerChangeNode(url, this.rpc, options.onRequest));
  }

  /** The heads of the nodes that answer, one after the other: the next one is asked where the logs of the one before cannot be read. */
  async *readHeads(signal: AbortSignal): AsyncGenerator<OwnerChangeHead> {
    for (const node of this.nodes.slice(0, MAX_NODES)) {
      const block = await this.readHead(node, signal);
      if (block === undefined) continue;
      yield { block, read: (...request) => node.read(...request).then(toResult, toFailedResult) };
    }
  }

  /** Closes all connections at once; pending requests fail. */
  async close(): Promise<void> {
    await this.rpc.close();
  }

  private async readHead(node: OwnerChangeNode, signal: AbortSignal): Promise<bigint | undefined> {
    try {
      if (performance.now() >= (this.verifiedUntil.get(node) ?? -Infinity)) {
        if ((await node.readChainId(signal)) !== BigInt(this.chain.id)) return undefined;
        this.verifiedUntil.set(node, performance.now() + CHAIN_ID_CHECK_MS);
      }
      return await node.readHead(signal);
    } catch (error) {
      if (error instanceof RpcNodeError) return undefined;
      throw error;
    }
  }
}

const toResult = (changes: OwnerChanges): OwnerChangesResult => ({ ok: true, ...changes });

/** Rethrows internal errors. */
function toFailedResult(error: unknown): OwnerChangesResult {
  if (error instanceof RpcNodeError) return { ok: false, reason: error.message };
  throw error;
}
