import type { Logger } from 'pino';
import type { Address } from 'viem';
import type { ChainNode } from '../../evm/nodes/chain-node.js';
import { findMined, type MinedOutcome } from './find-mined.js';
import type { UsedTransaction } from './stored-transaction.js';

/**
 * Asks further nodes whether the nonce of a transaction is used, and by which variant. What is settled is never sent again: if one node alone
 * could settle it, it would leave a gap before all later nonces of the executor.
 */
export class UsedTransactionProof {
  /** Transactions of which other nodes say something else, by id. */
  private readonly disputed = new Set<string>();

  constructor(
    private readonly logger: Logger,
    private readonly confirmations: number,
  ) {}

  /** @param mined the variant that is mined; undefined if somebody else's transaction took the nonce */
  async isConfirmed(
    node: ChainNode,
    executor: Address,
    transaction: UsedTransaction,
    mined?: MinedOutcome,
  ): Promise<boolean> {
    const { id, nonce } = transaction;
    const isConfirmed = await this.isKnown(node, executor, transaction, mined);
    if (!isConfirmed && !this.disputed.has(id))
      this.logger.error(
        { executor, nonce, transactionHash: mined?.transactionHash },
        'nodes of the chain disagree about a transaction of an executor; it is followed further',
      );
    if (isConfirmed) this.disputed.delete(id);
    else this.disputed.add(id);
    return isConfirmed;
  }

  /**
   * Whether further nodes have the outcome by now. They are asked for what they know of the newest block, so a node that is a block behind
   * denies it for that long.
   */
  async isKnown(
    node: ChainNode,
    executor: Address,
    { nonce, hashes }: UsedTransaction,
    mined?: MinedOutcome,
  ): Promise<boolean> {
    const depth = node.head.number - BigInt(this.confirmations) + 1n;
    const block = await node.client.getBlock({ blockNumber: depth < 0n ? 0n : depth });
    return node.isConfirmed(block, async (client) => {
      if ((await client.getTransactionCount({ address: executor })) <= nonce) return false;
      const found = await findMined(client, hashes);
      return found?.transactionHash === mined?.transactionHash && found?.isReverted === mined?.isReverted;
    });
  }
}
