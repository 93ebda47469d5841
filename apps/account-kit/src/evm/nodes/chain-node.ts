import { BlockNotFoundError, type Block, type Hash, type PublicClient } from 'viem';
import type { NodeOrder } from '../../chain-nodes/node-order.js';
import { type HeadRule, isExplained } from './find-head-outliers.js';

/** A node that has passed its check. */
export interface CheckedNode {
  readonly url: string;
  readonly client: PublicClient;
}

/** What the nodes of a chain have in common. */
interface NodeRules {
  readonly head: HeadRule;
  /** The order of nodes, by URL. */
  readonly order: NodeOrder<string>;
}

type NodeHead = Pick<
  Block<bigint, false, 'latest'>,
  'number' | 'hash' | 'baseFeePerGas' | 'gasLimit' | 'timestamp'
>;

/** A block that a decision was made at. */
interface DecisiveBlock {
  readonly number: bigint;
  readonly hash: Hash;
}

/**
 * One node of a chain with its newest block. Answers that together decide something come from one node: another node may lack the block,
 * and geth before 1.16 answers an empty list for logs of blocks that it lacks.
 */
export class ChainNode {
  private constructor(
    private readonly node: CheckedNode,
    readonly head: NodeHead,
    private readonly others: readonly CheckedNode[],
    private readonly rules: NodeRules,
  ) {}

  /** @param others the other nodes of the chain, the most trusted first */
  static async load(node: CheckedNode, others: readonly CheckedNode[], rules: NodeRules): Promise<ChainNode> {
    return new ChainNode(node, await node.client.getBlock({ blockTag: 'latest' }), others, rules);
  }

  get client(): PublicClient {
    return this.node.client;
  }

  /**
   * Whether the node still has its head. To be asked after answers that decide something by what they do not contain: behind one URL there
   * may be several nodes, of which some are behind.
   */
  async hasHead(): Promise<boolean> {
    return (await this.client.getBlockNumber({ cacheTime: 0 })) >= this.head.number;
  }

  /**
   * Whether other nodes say what this one said, or more confirm it than deny it. Other nodes that are away, or that are behind, have no say:
   * with one node its word is all there is.
   * @param confirm asks another node, which has the block
   */
  async isConfirmed(
    block: DecisiveBlock,
    confirm: (client: PublicClient) => Promise<boolean>,
  ): Promise<boolean> {
    const { order } = this.rules;
    const votes = new Map<string, boolean | undefined>([[this.node.url, true]]);
    for (const { url, client } of order.sort(this.others, (node) => node.url)) {
      const vote = order.askVote(url, () => this.ask(client, block, confirm));
      votes.set(url, await vote.catch(() => undefined));
      if (votes.get(url) === true && order.count(votes)) return true;
    }
    return order.count(votes);
  }

  /** @returns undefined if the node can be behind the block. Rejects if it does not answer. */
  private async ask(
    client: PublicClient,
    { number, hash }: DecisiveBlock,
    confirm: (client: PublicClient) => Promise<boolean>,
  ): Promise<boolean | undefined> {
    const block = await client.getBlock({ blockNumber: number }).catch((error: unknown) => {
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    });
    if (block) return block.hash === hash && (await confirm(client));
    const head = await client.getBlock({ blockTag: 'latest' });
    return isExplained(head, number, this.rules.head) ? undefined : false;
  }
}
