import {
  type ChainInfo,
  type ChainRegistry,
  EvmReader,
  chainRegistry,
  type Outcome,
  type Read,
} from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ChainConfig } from './chain-config.js';
import { ChainMetrics } from './chain-metrics.js';

/** The EVM chains of this deployment: which there are, and one reader for all of them. */
@Injectable()
export class EvmChains implements OnApplicationShutdown {
  private readonly registry: ChainRegistry;
  private readonly reader: EvmReader;

  constructor({ switches, rpcUrls }: ChainConfig, context: ServiceContext) {
    const metrics = new ChainMetrics(context.metrics.registry);
    this.registry = chainRegistry({
      custom: switches.CHAINS,
      rpcUrls,
      publicRpc: switches.PUBLIC_RPC,
      localChainId: switches.LOCAL_CHAIN_ID,
    });
    this.reader = new EvmReader({
      chains: this.registry,
      connectTimeoutMs: switches.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: switches.RPC_TIMEOUT_MS,
      onBatch: (report) => {
        metrics.observeBatch(report);
      },
      onNodeCall: (call) => {
        metrics.observeCall(call);
      },
    });
  }

  find(chainId: number): ChainInfo | undefined {
    return this.registry.find(chainId);
  }

  /** One outcome per read, in order, within the reader's budget of 10 s (contract.md section 5). */
  read<T>(chainId: number, reads: readonly Read<T>[]): Promise<Outcome<T>[]> {
    return this.reader.read(chainId, reads);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }
}
