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
import { BackgroundRounds } from './background-rounds.js';
import { createChainMetrics } from './chain-metrics.js';

export interface ChainReadOptions extends Pick<ReadOptions, 'signal'> {
  /** Set for reads with low priority that no request waits for: the tenant whose turn and node time they use. */
  readonly backgroundTenant?: string;
}

/** The EVM chains of this deployment and their reader. */
@Injectable()
export class EvmChainService implements OnApplicationShutdown {
  private readonly registry: ChainRegistry;
  private readonly reader: EvmReader;
  private readonly backgroundRounds = new BackgroundRounds();

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
   * the timeout starts when it is the tenant's turn.
   */
  read<T>(
    chainId: number,
    reads: readonly ContractRead<T>[],
    { backgroundTenant, signal }: ChainReadOptions = {},
  ): Promise<ReadResult<T>[]> {
    if (backgroundTenant === undefined) return this.reader.read(chainId, reads, { signal });
    return this.backgroundRounds.run(chainId, backgroundTenant, () =>
      this.reader.read(chainId, reads, { signal, lane: 'background' }),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }
}
