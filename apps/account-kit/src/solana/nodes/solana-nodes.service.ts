import { ChainConfig } from '@app/chain/evm';
import { NodeHttpClient } from '@app/chain/json-rpc';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { chainUnavailable } from '../../evm/nodes/evm.errors.js';
import { networkNotSupported } from '../solana.errors.js';
import { findCluster, type SolanaNetwork, solanaNetwork } from '../solana-network.js';
import { JsonRpcClient, SolanaNodeError } from './json-rpc-client.js';
import { SolanaNode } from './solana-node.js';

const CONNECTIONS_PER_NODE = 16;
/** A transaction has at most some hundred kilobytes of logs and inner instructions. */
const MAX_RESPONSE_BYTES = 4_000_000;
/** Bounds the time that a request waits for nodes which do not answer. */
const MAX_NODES = 3;

/** The nodes of Solana's networks (`RPC_URL_<chainId>`). A node is used once it has shown that it serves the network. */
@Injectable()
export class SolanaNodesService implements OnApplicationShutdown {
  private readonly http: NodeHttpClient;
  private readonly nodes: ReadonlyMap<SolanaNetwork, readonly SolanaNode[]>;
  private readonly checked = new WeakSet<SolanaNode>();

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
    const nodes = this.nodes.get(network) ?? [];
    if (nodes.length === 0) throw networkNotSupported(network);
    const failures: SolanaNodeError[] = [];
    for (const node of nodes)
      try {
        await this.checkGenesisHash(network, node);
        return await work(node);
      } catch (error) {
        if (!(error instanceof SolanaNodeError)) throw error;
        failures.push(error);
      }
    const reasons = failures.map(({ message }, index) => `node ${index + 1}: ${message}`);
    this.context.logger.warn({ network, reasons }, 'no node of a Solana network is usable');
    throw chainUnavailable({ cause: failures[0] });
  }

  /**
   * Whether more nodes confirm than deny what one of them said (docs/adr/0085-evidence-from-one-node.md). A node that is away, or does not
   * know, has no say; the word of a single node is all there is.
   */
  async isConfirmed(
    network: SolanaNetwork,
    confirm: (node: SolanaNode) => Promise<boolean | undefined>,
  ): Promise<boolean> {
    const nodes = this.nodes.get(network) ?? [];
    if (nodes.length < 2) return true;
    const opinions = await Promise.all(
      nodes.map(async (node) => {
        try {
          await this.checkGenesisHash(network, node);
          return await confirm(node);
        } catch (error) {
          if (error instanceof SolanaNodeError) return undefined;
          throw error;
        }
      }),
    );
    const count = (wanted: boolean) => opinions.filter((opinion) => opinion === wanted).length;
    return count(true) > count(false);
  }

  private async checkGenesisHash(network: SolanaNetwork, node: SolanaNode): Promise<void> {
    if (this.checked.has(node)) return;
    if ((await node.getGenesisHash()) !== findCluster(network).genesisHash)
      throw new SolanaNodeError('the node serves another network');
    this.checked.add(node);
  }
}
