import {
  ChainConfig,
  type ChainInfo,
  type ChainRegistry,
  createConfiguredChainRegistry,
  createReadFailure,
  EvmReader,
  type ReadResult,
  type ContractRead,
  type ReadOptions,
} from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter } from 'prom-client';
import { BackgroundRounds } from './background-rounds.js';
import { createChainMetrics } from './chain-metrics.js';
import { ConcurrentReadLimiter } from './concurrent-read-limiter.js';
import { ConcurrentReadsConfig } from './concurrent-reads.config.js';

export interface ChainReadOptions extends ReadOptions {
  /** Whose share of the reads in progress they take; of background reads, whose turn and node time they use. */
  readonly tenantId: string;
}

export const TOO_MANY_READS = createReadFailure('unavailable', 'too many reads are in progress');

/** The EVM chains of this deployment and their reader. */
@Injectable()
export class EvmChainService implements OnApplicationShutdown {
  private readonly registry: ChainRegistry;
  private readonly reader: EvmReader;
  private readonly backgroundRounds = new BackgroundRounds();
  private readonly limiter: ConcurrentReadLimiter;
  private readonly rejected: Counter;

  constructor(config: ChainConfig, { MAX_CONCURRENT_READS }: ConcurrentReadsConfig, context: ServiceContext) {
    const { settings } = config;
    this.limiter = new ConcurrentReadLimiter(MAX_CONCURRENT_READS);
    this.rejected = new Counter({
      name: 'chain_reads_rejected_total',
      help: 'Reads that were not made because too many were in progress.',
      registers: [context.metrics.registry],
    });
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

  /** Whether reads would be made now, so that those of a large check need not be planned in vain. */
  hasRoom(tenantId: string, reads: number): boolean {
    return this.limiter.hasRoom(tenantId, reads);
  }

  /**
   * Returns one result per read, in order, within the reader's timeout of 10 s (contract.md section 5). For background reads
   * the timeout starts when it is the tenant's turn. Reads beyond the tenant's share are transient failures.
   */
  async read<T>(
    chainId: number,
    reads: readonly ContractRead<T>[],
    options: ChainReadOptions,
  ): Promise<ReadResult<T>[]> {
    const { lane, tenantId } = options;
    const read = () => this.reader.read(chainId, reads, options);
    if (lane === 'background') return this.backgroundRounds.run(chainId, tenantId, read);
    if (!this.limiter.acquire(tenantId, reads.length)) {
      this.rejected.inc(reads.length);
      return reads.map(() => TOO_MANY_READS);
    }
    try {
      return await read();
    } finally {
      this.limiter.release(tenantId, reads.length);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }
}
