import { type FailoverEthCallClient } from './eth-call-client.js';
import { type BlockTag, toBlockTag } from '../codec/eth-call.js';
import { RpcNodeError } from '../../shared/rpc-node-error.js';

export interface PinnedBlock {
  readonly block: BlockTag;
  /** The nodes that have the block, in their order. */
  readonly nodes: readonly FailoverEthCallClient[];
}

/**
 * Chooses the newest block that `quorum` nodes have and that is at most `maxLagBlocks` behind the newest block of any of
 * them, so that a single node which is far behind or claims to be far ahead cannot choose. Throws RpcNodeError.
 */
export async function pinBlock(
  nodes: readonly FailoverEthCallClient[],
  quorum: number,
  maxLagBlocks: bigint,
  signal: AbortSignal,
): Promise<PinnedBlock> {
  const responses = await Promise.allSettled(nodes.map((node) => node.getBlockNumber(signal)));
  let failure = new RpcNodeError('unavailable', 'too few nodes agree on the newest block');
  const blockNumbers: bigint[] = [];
  for (const response of responses) {
    if (response.status === 'fulfilled') blockNumbers.push(response.value);
    else if (response.reason instanceof RpcNodeError) failure = response.reason;
    else throw response.reason;
  }
  blockNumbers.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  for (const [index, newest] of blockNumbers.entries()) {
    const block = blockNumbers[index + quorum - 1];
    if (block === undefined) break;
    if (newest - block > maxLagBlocks) continue;
    const nodesWithBlock = nodes.filter((_, at) => {
      const response = responses[at];
      return response?.status === 'fulfilled' && response.value >= block;
    });
    return { block: toBlockTag(block), nodes: nodesWithBlock };
  }
  throw failure;
}
