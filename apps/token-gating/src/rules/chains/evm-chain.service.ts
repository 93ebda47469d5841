import {
  ChainConfig,
  type ChainInfo,
  type ChainRegistry,
  createConfiguredChainRegistry,
  EvmReader,
  type ReadResult,
  type ContractRead,
  type ReadOptions,
} from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ChainMutex } from './chain-mutex.js';
import { createChainMetrics } from './chain-metrics.js';

/** The EVM chains of this deployment and their reader. */
@Injectable()
export class EvmChainService implements OnApplicationShutdown {
  private readonly registry: ChainRegistry;
  private readonly reader: EvmReader;
  private readonly backgroundMutex = new ChainMutex();

  constructor(config: ChainConfig, context: ServiceContext) {
    const { settings } = config;
    this.registry = createConfiguredChainRegistry(config);
    this.reader = new EvmReader({
      chains: this.registry,
      cache: settings.RPC_CACHE,
      maxLagBlocks: settings.RPC_MAX_LAG_BLOCKS,
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
      ...createChainMetrics(context.metrics.registry),
    });
  }

  find(chainId: number): ChainInfo | undefined {
    return this.registry.find(chainId);
  }

  /**
   * Returns one result per read, in order, within the reader's timeout of 10 s (contract.md section 5). For background reads
   * the timeout starts when earlier rounds have ended.
   */
  read<T>(
    chainId: number,
    reads: readonly ContractRead<T>[],
    options?: ReadOptions,
  ): Promise<ReadResult<T>[]> {
    const read = () => this.reader.read(chainId, reads, options);
    return options?.lane === 'background' ? this.backgroundMutex.runExclusive(chainId, read) : read();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }
}
