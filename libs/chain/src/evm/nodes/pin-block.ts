import { type FailoverEthCallClient } from './eth-call-client.js';
import { type BlockTag } from '../codec/eth-call.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';

export interface PinnedBlock<Node> {
  readonly block: BlockTag;
  /** Those that have the block, in their order. */
  readonly nodes: readonly Node[];
}

/**
 * Chooses the newest block that `quorum` nodes have and that lies at most `maxLagBlocks` behind the newest block of any of
 * these: one node that is far behind, or claims to be far ahead, does not choose alone. Throws NodeFailure.
 */
export async function pinBlock(
  nodes: readonly FailoverEthCallClient[],
  quorum: number,
  maxLagBlocks: bigint,
  signal: AbortSignal,
): Promise<PinnedBlock<FailoverEthCallClient>> {
  const told = await Promise.allSettled(nodes.map((node) => node.getBlockNumber(signal)));
  let failure = new RpcNodeError('unavailable', 'too few nodes agree on the newest block');
  const heights: bigint[] = [];
  for (const result of told) {
    if (result.status === 'fulfilled') heights.push(result.value);
    else if (result.reason instanceof RpcNodeError) failure = result.reason;
    else throw result.reason;
  }
  heights.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  for (const [index, newest] of heights.entries()) {
    const block = heights[index + quorum - 1];
    if (block === undefined) break;
    if (newest - block > maxLagBlocks) continue;
    const has = nodes.filter((_, at) => {
      const result = told[at];
      return result?.status === 'fulfilled' && result.value >= block;
    });
    return { block: `0x${block.toString(16)}`, nodes: has };
  }
  throw failure;
}
