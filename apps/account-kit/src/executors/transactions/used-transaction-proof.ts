import type { Logger } from 'pino';
import type { Address, Hex, PublicClient } from 'viem';
import type { ChainNode } from '../../evm/nodes/chain-node.js';
import { findMined } from './find-mined.js';
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
    { id, nonce, hashes }: UsedTransaction,
    mined?: Hex,
  ): Promise<boolean> {
    const blockNumber = node.head.number - BigInt(this.confirmations) + 1n;
    if (blockNumber < 0n) return false;
    const block = await node.client.getBlock({ blockNumber });
    const isSame = async (client: PublicClient): Promise<boolean> =>
      (await client.getTransactionCount({ address: executor })) > nonce &&
      (await findMined(client, hashes))?.transactionHash === mined;
    const isConfirmed = await node.isConfirmed(block, isSame);
    if (!isConfirmed && !this.disputed.has(id))
      this.logger.error(
        { executor, nonce, transactionHash: mined },
        'nodes of the chain disagree about a transaction of an executor; it is followed further',
      );
    if (isConfirmed) this.disputed.delete(id);
    else this.disputed.add(id);
    return isConfirmed;
  }
}
