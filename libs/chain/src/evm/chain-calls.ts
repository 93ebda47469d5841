import { aggregateQuestion } from './aggregate.js';
import { arbitrumBlockMs } from './arbitrum-chains.js';
import { ChainHeight, lagOf } from './chain-height.js';
import { ChainNodes } from './chain-nodes.js';
import { type ChainInfo } from './chain-registry.js';
import { type ChainCalls, ContractCalls } from './contract-calls.js';
import { type JsonRpc } from './json-rpc.js';
import { QuorumCalls } from './quorum-calls.js';
import { type NodeCall, type NodeStateReport } from './node-reports.js';
import { RpcProvider } from './rpc-provider.js';

export interface ChainCallsOptions {
  readonly maxLagBlocks?: number;
  readonly recheckMs?: number;
  readonly surveyMs?: number;
  readonly onNodeCall?: (call: NodeCall) => void;
  readonly onNodeState?: (report: NodeStateReport) => void;
}

/** Puts the nodes of one chain together: with failover, or with the quorum that the chain asks for. */
export function chainCalls(chain: ChainInfo, rpc: JsonRpc, options: ChainCallsOptions): ChainCalls {
  const { id: chainId, rpcUrls, quorum = 1, arbitrum = false } = chain;
  const blockTime = chain.blockTime ?? (arbitrum ? arbitrumBlockMs : undefined);
  const maxLagBlocks = lagOf(options.maxLagBlocks ?? 3, blockTime);
  // One node alone has nobody to be behind, and the local chain may go back at any moment.
  const comparable = rpcUrls.length > 1 && blockTime !== 0;
  const height = new ChainHeight({
    blockTime,
    steady: chain.steady === true && !arbitrum,
    ...(comparable ? { maxLagBlocks } : {}),
  });
  const form = { arbitrum, asksTime: height.asksTime };
  const providers = rpcUrls.map((url, node) => {
    options.onNodeState?.({ chainId, node, state: 'up' });
    return new RpcProvider({
      rpc,
      chainId,
      url,
      height,
      multicall3: chain.multicall3,
      probe: aggregateQuestion([], form),
      probeTimes: { recheckMs: options.recheckMs ?? 60_000, surveyMs: options.surveyMs ?? 10_000 },
      onCall: options.onNodeCall,
      onState: (state) => options.onNodeState?.({ chainId, node, state }),
    });
  });
  const callsOf = (nodes: readonly RpcProvider[]): ContractCalls =>
    new ContractCalls(new ChainNodes(nodes, chain.name), form);
  if (quorum < 2) return callsOf(providers);
  return new QuorumCalls(
    providers.map((provider) => callsOf([provider])),
    quorum,
    maxLagBlocks,
  );
}
