import type { Block, PublicClient } from 'viem';

type NodeHead = Pick<
  Block<bigint, false, 'latest'>,
  'number' | 'hash' | 'baseFeePerGas' | 'gasLimit' | 'timestamp'
>;

/**
 * One node of a chain with its newest block. Answers that together decide something come from one node: another node may lack the block,
 * and geth before 1.16 answers an empty list for logs of blocks that it lacks.
 */
export class ChainNode {
  private constructor(
    readonly client: PublicClient,
    readonly head: NodeHead,
  ) {}

  static async load(client: PublicClient): Promise<ChainNode> {
    return new ChainNode(client, await client.getBlock({ blockTag: 'latest' }));
  }

  /**
   * Whether the node still has its head. To be asked after answers that decide something by what they do not contain: behind one URL there
   * may be several nodes, of which some are behind.
   */
  async hasHead(): Promise<boolean> {
    return (await this.client.getBlockNumber({ cacheTime: 0 })) >= this.head.number;
  }
}
