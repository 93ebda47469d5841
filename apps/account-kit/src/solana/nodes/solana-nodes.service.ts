import { ChainConfig } from '@app/chain/evm';
import { NodeHttpClient } from '@app/chain/json-rpc';
import { formatErrorReason, SECOND_MS } from '@app/common';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { NodeOrder } from '../../chain-nodes/node-order.js';
import { chainUnavailable } from '../../evm/nodes/evm.errors.js';
import { networkNotSupported } from '../solana.errors.js';
import { findCluster, type SolanaNetwork, solanaNetwork } from '../messages/solana-network.js';
import { JsonRpcClient, MAX_CLIENT_POSTS } from './json-rpc-client.js';
import { SolanaNodeError } from './solana-node.errors.js';
import { type LandingVote, SolanaNode } from './solana-node.js';

/** A third more than client applications can use: what all of them need, such as statuses and heights, waits for none. */
const CONNECTIONS_PER_NODE = (MAX_CLIENT_POSTS * 4) / 3;
/** A transaction has at most some hundred kilobytes of logs and inner instructions. */
const MAX_RESPONSE_BYTES = 4_000_000;
/** Bounds the time that a request waits for nodes which do not answer. */
const MAX_NODES = 3;
/** Nodes in use are asked whether they are healthy at this interval. */
const HEALTH_CHECK_MS = 10 * SECOND_MS;

/** The nodes of Solana's networks (`RPC_URL_<chainId>`). A node is used once it has shown that it serves the network. */
@Injectable()
export class SolanaNodesService implements OnApplicationShutdown {
  private readonly http: NodeHttpClient;
  private readonly nodes: ReadonlyMap<SolanaNetwork, readonly SolanaNode[]>;
  private readonly checked = new WeakSet<SolanaNode>();
  private readonly order = new NodeOrder<SolanaNode>();
  /** Times by `performance.now()`. */
  private readonly healthCheckAt = new WeakMap<SolanaNode, number>();
  /** Nodes that are being asked whether they are healthy. */
  private readonly healthChecks = new WeakSet<SolanaNode>();

  constructor(
    { settings, rpcUrls }: ChainConfig,
    private readonly context: ServiceContext,
  ) {
    this.http = new NodeHttpClient({
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      connections: CONNECTIONS_PER_NODE,
    });
    const createNode = (url: string) => new SolanaNode(new JsonRpcClient(this.http, new URL(url)));
    this.nodes = new Map(
      solanaNetwork.options.map((network) => [
        network,
        (rpcUrls.get(findCluster(network).id) ?? []).slice(0, MAX_NODES).map(createNode),
      ]),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  /**
   * Runs work on one node, and again from the beginning on the next one when a node fails.
   * @throws AppError 400 `network_not_supported` without nodes, 503 `chain_unavailable` when every node fails; what else `work` throws
   */
  async use<T>(network: SolanaNetwork, work: (node: SolanaNode) => Promise<T>): Promise<T> {
    const [answer] = await this.ask(network, work, () => true);
    return answer;
  }

  /** Does what `use` does, and asks the next node also when one knows nothing, which is null. */
  async find<T>(network: SolanaNetwork, work: (node: SolanaNode) => Promise<T | null>): Promise<T | null> {
    const answers = await this.ask(network, work, (answer) => answer !== null);
    return answers.at(-1) ?? null;
  }

  /** The answers of all nodes that answer. Throws like `use`. */
  async askAll<T>(network: SolanaNetwork, work: (node: SolanaNode) => Promise<T>): Promise<readonly T[]> {
    return this.ask(network, work, () => false);
  }

  /** Runs work on all nodes at once: a node that hangs, or only says that it has done it, holds up nothing. Throws like `use` if all fail. */
  async useAny<T>(network: SolanaNetwork, work: (node: SolanaNode) => Promise<T>): Promise<T> {
    const failures: unknown[] = [];
    const results = this.list(network).map(async (node) => {
      try {
        return await this.run(network, node, work);
      } catch (error) {
        failures.push(error);
        throw error;
      }
    });
    try {
      return await Promise.any(results);
    } catch {
      throw this.toFailure(network, failures);
    }
  }

  /**
   * What the nodes say about a landing that one of them has told (docs/adr/0085-evidence-from-one-node.md). More nodes must confirm it than
   * deny it or will know it later: otherwise a node could invent the result of a transaction that the others are about to finalize. A node that
   * is away, or cannot know, has no say; the word of a single node is all there is.
   */
  async voteOnLanding(
    network: SolanaNetwork,
    ask: (node: SolanaNode) => Promise<LandingVote | undefined>,
  ): Promise<LandingVote> {
    if (this.list(network).length < 2) return 'confirm';
    const votes = await this.collectVotes(network, ask);
    const toOpinion = (vote: LandingVote | undefined) =>
      vote === 'confirm' ? true : vote === 'deny' ? false : undefined;
    const isMajority = this.order.count(new Map([...votes].map(([node, vote]) => [node, toOpinion(vote)])));
    const count = (wanted: LandingVote) => [...votes.values()].filter((vote) => vote === wanted).length;
    if (isMajority && count('confirm') > count('deny') + count('later')) return 'confirm';
    return count('deny') > 0 ? 'deny' : 'later';
  }

  /** Whether more nodes confirm than deny something. Nodes that are outvoted are asked last for a while. */
  async isMajority(
    network: SolanaNetwork,
    confirm: (node: SolanaNode) => Promise<boolean | undefined>,
  ): Promise<boolean> {
    return this.order.count(await this.collectVotes(network, confirm));
  }

  private async collectVotes<T>(
    network: SolanaNetwork,
    ask: (node: SolanaNode) => Promise<T | undefined>,
  ): Promise<ReadonlyMap<SolanaNode, T | undefined>> {
    const votes = await Promise.all(
      this.list(network).map(async (node) => [node, await this.askVote(network, node, ask)] as const),
    );
    return new Map(votes);
  }

  private async askVote<T>(
    network: SolanaNetwork,
    node: SolanaNode,
    ask: (node: SolanaNode) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    try {
      return await this.order.askVote(node, () => this.run(network, node, ask));
    } catch (error) {
      if (error instanceof SolanaNodeError) return undefined;
      throw error;
    }
  }

  /**
   * Asks nodes one after another until an answer suffices. What other nodes have answered insufficiently is not asked of a node that failed a
   * moment ago: a node that hangs would hold up all that is new.
   * @returns the answers, at least one
   */
  private async ask<T>(
    network: SolanaNetwork,
    work: (node: SolanaNode) => Promise<T>,
    suffices: (answer: T) => boolean,
  ): Promise<[T, ...T[]]> {
    const answers: T[] = [];
    const failures: SolanaNodeError[] = [];
    for (const node of this.order.sort(this.list(network), (one) => one)) {
      if (answers.length > 0 && this.order.isLast(node)) continue;
      try {
        const answer = await this.run(network, node, work);
        answers.push(answer);
        if (suffices(answer)) break;
      } catch (error) {
        if (!(error instanceof SolanaNodeError)) throw error;
        failures.push(error);
      }
    }
    const [first, ...others] = answers;
    if (answers.length === 0) throw this.toFailure(network, failures);
    return [first as T, ...others];
  }

  /** @throws AppError 400 `network_not_supported` */
  private list(network: SolanaNetwork): readonly SolanaNode[] {
    const nodes = this.nodes.get(network) ?? [];
    if (nodes.length === 0) throw networkNotSupported(network);
    return nodes;
  }

  private async run<T>(
    network: SolanaNetwork,
    node: SolanaNode,
    work: (node: SolanaNode) => Promise<T>,
  ): Promise<T> {
    this.checkHealthSoon(node);
    try {
      await this.checkGenesisHash(network, node);
      return await work(node);
    } catch (error) {
      if (error instanceof SolanaNodeError) {
        // A transaction that no node can simulate would put each node last for all client applications.
        if (error.isOfTransaction) this.checkHealth(node);
        else this.order.putLast(node);
      }
      throw error;
    }
  }

  /** @returns what is to be thrown when every node has failed */
  private toFailure(network: SolanaNetwork, failures: readonly unknown[]): unknown {
    const other = failures.find((failure) => !(failure instanceof SolanaNodeError));
    if (other !== undefined) return other;
    const reasons = failures.map((failure, index) => `failure ${index + 1}: ${formatErrorReason(failure)}`);
    this.context.logger.warn({ network, reasons }, 'no node of a Solana network is usable');
    return chainUnavailable({ cause: failures[0] });
  }

  private checkHealthSoon(node: SolanaNode): void {
    if ((this.healthCheckAt.get(node) ?? 0) <= performance.now()) this.checkHealth(node);
  }

  /**
   * A node that hangs does not answer; one that is far behind its cluster says so, and would call each new blockhash unknown. Both are asked
   * last.
   */
  private checkHealth(node: SolanaNode): void {
    this.healthCheckAt.set(node, performance.now() + HEALTH_CHECK_MS);
    if (this.healthChecks.has(node)) return;
    this.healthChecks.add(node);
    void node
      .getHealth()
      .catch(() => {
        this.order.putLast(node);
      })
      .finally(() => this.healthChecks.delete(node));
  }

  private async checkGenesisHash(network: SolanaNetwork, node: SolanaNode): Promise<void> {
    if (this.checked.has(node)) return;
    if ((await node.getGenesisHash()) !== findCluster(network).genesisHash)
      throw new SolanaNodeError('the node serves another network');
    this.checked.add(node);
  }
}
