import {
  ChainConfig,
  type ChainInfo,
  type ChainRegistry,
  configuredChains,
  EvmReader,
  type Outcome,
  type Read,
  type ReadOptions,
} from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundTurns } from './background-turns.js';
import { chainMetrics } from './chain-metrics.js';

/** The EVM chains of this deployment: which there are, and one reader for all of them. */
@Injectable()
export class EvmChains implements OnApplicationShutdown {
  private readonly registry: ChainRegistry;
  private readonly reader: EvmReader;
  private readonly background = new BackgroundTurns();

  constructor(config: ChainConfig, context: ServiceContext) {
    const { switches } = config;
    this.registry = configuredChains(config);
    this.reader = new EvmReader({
      chains: this.registry,
      cache: switches.RPC_CACHE,
      maxLagBlocks: switches.RPC_MAX_LAG_BLOCKS,
      connectTimeoutMs: switches.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: switches.RPC_TIMEOUT_MS,
      ...chainMetrics(context.metrics.registry),
    });
  }

  find(chainId: number): ChainInfo | undefined {
    return this.registry.find(chainId);
  }

  /**
   * One outcome per read, in order, within the reader's budget of 10 s (contract.md section 5), which begins for reads of the
   * background when it is their turn.
   */
  read<T>(chainId: number, reads: readonly Read<T>[], options?: ReadOptions): Promise<Outcome<T>[]> {
    const read = () => this.reader.read(chainId, reads, options);
    return options?.lane === 'background' ? this.background.take(chainId, read) : read();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }
}
