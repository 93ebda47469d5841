import type { Address, Hash, PublicClient } from 'viem';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';

interface ConfirmedNonce {
  readonly head: Hash;
  readonly claimed: number;
  readonly confirmed: number;
}

/**
 * The next nonces of executors as far as nodes agree. A node that counts too many would end the re-sending of transactions that no block
 * has, so what one node alone counts is not believed where further nodes have its newest block.
 */
export class ConfirmedNonces {
  private readonly last = new Map<Address, ConfirmedNonce>();

  /**
   * Asks further nodes once for each block.
   * @param claimed what the node says is next
   * @returns `claimed`, or the highest lower nonce that no more nodes deny than confirm
   */
  async confirm(node: ChainNode, executor: Address, claimed: number): Promise<number> {
    const { head } = node;
    const last = this.last.get(executor);
    if (last?.head === head.hash && last.claimed === claimed) return last.confirmed;
    const counts = new Map<PublicClient, Promise<number>>();
    const count = (client: PublicClient): Promise<number> => {
      const known = counts.get(client) ?? client.getTransactionCount({ address: executor });
      counts.set(client, known);
      return known;
    };
    let confirmed = claimed;
    while (!(await node.isConfirmed(head, async (client) => (await count(client)) >= confirmed))) {
      const settled = await Promise.allSettled(counts.values());
      const lower = settled.flatMap((one) =>
        one.status === 'fulfilled' && one.value < confirmed ? [one.value] : [],
      );
      // A node whose block has another hash denies without a count.
      confirmed = Math.max(0, ...lower);
      if (confirmed === 0) break;
    }
    this.last.set(executor, { head: head.hash, claimed, confirmed });
    return confirmed;
  }
}
