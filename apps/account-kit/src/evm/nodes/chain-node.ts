import { MINUTE_MS, SECOND_MS } from '@app/common';
import { BlockNotFoundError, type Block, type Hash, type PublicClient } from 'viem';
import type { NodeOrder } from '../../chain-nodes/node-order.js';
import { type HeadRule, isExplained } from './find-head-outliers.js';

/** A node whose newest block is older than this does not follow the chain any more. */
const STUCK_MS = 5 * MINUTE_MS;

type Confirm = (client: PublicClient) => Promise<boolean>;

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
 * A node of a chain with its newest block. Answers that together decide something come from one node: another node may
 * lack the block, and geth before 1.16 answers an empty list for logs of blocks that it lacks.
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
  async isConfirmed(block: DecisiveBlock, confirm: Confirm): Promise<boolean> {
    return (await this.collectVotes(block, confirm)).isMajority;
  }

  /**
   * Whether what ends an operation is confirmed. Where no other node confirms, one that follows the chain and does not have the block yet
   * is waited for: this node could have invented blocks above the newest one.
   */
  async isSettled(block: DecisiveBlock, confirm: Confirm): Promise<boolean> {
    const { isMajority, isAwaited, isSeconded } = await this.collectVotes(block, confirm);
    return isMajority && (isSeconded || !isAwaited);
  }

  private async collectVotes(block: DecisiveBlock, confirm: Confirm) {
    const { order } = this.rules;
    const votes = new Map<string, boolean | undefined>([[this.node.url, true]]);
    let isAwaited = false;
    for (const { url, client } of order.sort(this.others, (node) => node.url)) {
      const asked = order.askVote(url, () => this.ask(client, block, confirm));
      const vote = await asked.catch(() => undefined);
      if (vote === 'later') isAwaited = true;
      votes.set(url, vote === 'later' ? undefined : vote);
      if (vote === true && order.count(votes)) return { isMajority: true, isAwaited, isSeconded: true };
    }
    const isSeconded = [...votes.values()].filter((vote) => vote === true).length > 1;
    return { isMajority: order.count(votes), isAwaited, isSeconded };
  }

  /** @returns undefined if the node can be behind the block, `later` if it also follows the chain. Rejects if it does not answer. */
  private async ask(
    client: PublicClient,
    { number, hash }: DecisiveBlock,
    confirm: Confirm,
  ): Promise<boolean | 'later' | undefined> {
    const block = await client.getBlock({ blockNumber: number }).catch((error: unknown) => {
      if (error instanceof BlockNotFoundError) return undefined;
      throw error;
    });
    if (block) return block.hash === hash && (await confirm(client));
    const head = await client.getBlock({ blockTag: 'latest' });
    if (!isExplained(head, number, this.rules.head)) return false;
    return Date.now() - Number(head.timestamp) * SECOND_MS < STUCK_MS ? 'later' : undefined;
  }
}
