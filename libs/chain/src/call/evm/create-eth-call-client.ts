import { MINUTE_MS } from '@app/common';
import { createAggregateRequest } from './aggregate-request.js';
import { DEFAULT_ARBITRUM_BLOCK_TIME_MS } from '../../evm/chains/arbitrum-chains.js';
import { ChainHeadTracker, toMaxLagBlocks } from '../../node/chain-head-tracker.js';
import { type EthCallClient, FailoverEthCallClient } from './eth-call-client.js';
import type { ChainInfo } from '../../evm/chains/chain-registry.js';
import type { JsonRpcClient } from '../../node/evm/json-rpc-client.js';
import { QuorumEthCallClient } from './quorum-eth-call-client.js';
import type { NodeCallReport, NodeStateReport } from '../../node/node-metrics.js';
import { RpcNodeClient } from '../../node/evm/rpc-node-client.js';

export interface EthCallClientOptions {
  readonly maxLagBlocks?: number;
  readonly chainIdCheckIntervalMs?: number;
  readonly standbyProbeIntervalMs?: number;
  readonly onNodeCall?: (call: NodeCallReport) => void;
  readonly onNodeState?: (report: NodeStateReport) => void;
}

/** Creates the client of one chain: with failover between its nodes, or with the quorum that the chain requires. */
export function createEthCallClient(
  chain: ChainInfo,
  rpc: JsonRpcClient,
  options: EthCallClientOptions,
): EthCallClient {
  const { id: chainId, rpcUrls, quorum = 1, isArbitrum = false } = chain;
  const blockTime = chain.blockTime ?? (isArbitrum ? DEFAULT_ARBITRUM_BLOCK_TIME_MS : undefined);
  const maxLagBlocks = toMaxLagBlocks(options.maxLagBlocks ?? 3, blockTime);
  // A single node has no other to lag behind, and the local chain can be rolled back at any moment.
  const areNodesComparable = rpcUrls.length > 1 && blockTime !== 0;
  const headTracker = new ChainHeadTracker({
    blockTime,
    hasFixedBlockTime: chain.hasFixedBlockTime === true && !isArbitrum,
    ...(areNodesComparable ? { maxLagBlocks } : {}),
  });
  const headQuery = { isArbitrum, includeTimestamp: headTracker.canDetectStuckNode };
  const nodes = rpcUrls.map((url, node) => {
    options.onNodeState?.({ chainId, node, state: 'up' });
    return new RpcNodeClient({
      rpc,
      chainId,
      url,
      headTracker,
      multicall3: chain.multicall3,
      probeRequest: createAggregateRequest([], headQuery),
      probeIntervals: {
        chainIdCheckIntervalMs: options.chainIdCheckIntervalMs ?? MINUTE_MS,
        standbyProbeIntervalMs: options.standbyProbeIntervalMs ?? 10_000,
      },
      onCall: options.onNodeCall,
      onState: (state) => options.onNodeState?.({ chainId, node, state }),
    });
  });
  const createFailoverClient = (members: readonly RpcNodeClient[]): FailoverEthCallClient =>
    new FailoverEthCallClient(members, chain.name, headTracker, headQuery);
  if (quorum < 2) return createFailoverClient(nodes);
  return new QuorumEthCallClient(
    nodes.map((node) => createFailoverClient([node])),
    quorum,
    maxLagBlocks,
  );
}
