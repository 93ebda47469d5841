import { ChainConfig } from '@app/chain/evm';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createPublicClient, type PublicClient } from 'viem';
import { createNodeTransports, type NodeTransports } from '@app/chain/node-transports';
import { ExecutorChainsConfig } from '../executor.config.js';

/** Clients of private relays, to which transactions of executors are sent instead of to the nodes of their chain. */
@Injectable()
export class SendClientsService implements OnApplicationShutdown {
  private readonly transports: NodeTransports;
  private readonly clients = new Map<number, PublicClient>();

  constructor(
    private readonly chains: ExecutorChainsConfig,
    { settings }: ChainConfig,
  ) {
    this.transports = createNodeTransports({
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transports.close();
  }

  /** @returns undefined where transactions are sent to the nodes of the chain */
  getClient(chainId: number): PublicClient | undefined {
    const url = this.chains.getSendUrl(chainId);
    if (url === undefined) return undefined;
    const client =
      this.clients.get(chainId) ?? createPublicClient({ transport: this.transports.create(url) });
    this.clients.set(chainId, client);
    return client;
  }
}
