import type { Address, PublicClient } from 'viem';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';

/**
 * A node counts more nonces than this service has stored: the key of the executor was used elsewhere, or the node lies. A stored transaction
 * with a nonce that is too high would leave a gap before it, which blocks the executor for good, so other nodes must say the same.
 */
export async function confirmNonce(
  node: ChainNode,
  { executor, used, next }: { readonly executor: Address; readonly used: number; readonly next: number },
): Promise<number> {
  const isSame = async (client: PublicClient): Promise<boolean> =>
    (await client.getTransactionCount({ address: executor, blockNumber: node.head.number })) === used;
  if ((await isSame(node.client)) && (await node.isConfirmed(node.head, isSame))) return used;
  throw new Error(
    `nodes of the chain disagree about the nonce of executor ${executor}: one says ${used}, and ${next} follows what is stored`,
  );
}
