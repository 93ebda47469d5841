import {
  ChainConfig,
  type ChainInfo,
  type ChainRegistry,
  type ContractRead,
  createConfiguredChainRegistry,
  createReadFailure,
  EvmReader,
  type ReadOptions,
  type ReadResult,
} from '@app/chain/evm';
import { createSolanaChains, type SolanaChainInfo, type SolanaRead, SolanaReader } from '@app/chain/solana';
import { isSolanaChain } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Counter } from 'prom-client';
import { BackgroundRounds } from './background-rounds.js';
import { createChainMetrics } from './chain-metrics.js';
import { ConcurrentReadLimiter, ConcurrentReadsConfig } from './concurrent-read-limiter.js';
/** A chain of any family. */
export type Chain = ChainInfo | SolanaChainInfo;
/** A read of a chain; all reads of one chain are of its family. */
export type ChainRead<T> = ContractRead<T> | SolanaRead<T>;

/** `limited`: background reads of communities without an approved client application, which share a tenth of the lane. */
export type RoleReadLane = NonNullable<ReadOptions['lane']> | 'limited';

export interface ChainReadOptions extends Omit<ReadOptions, 'lane'> {
  readonly lane?: RoleReadLane | undefined;
  /**
   * The tenant whose share of the reads in progress the reads take; the turns and node time of background reads are the
   * tenant's, too.
   */
  readonly tenantId: string;
  /** Called with the block of each read that reports one, before the reads return. */
  readonly onBlock?: (chainId: number, block: bigint) => void;
}

/** The failure of reads that were not made; callers compare it by identity. */
export const TOO_MANY_READS = createReadFailure('unavailable', 'too many reads are in progress');

/** The chains of this deployment and their readers. */
@Injectable()
export class ChainService implements OnApplicationShutdown {
  private readonly registry: ChainRegistry;
  /** Chains whose nodes this deployment names. */
  private readonly ownChainIds: ReadonlySet<number>;
  private readonly solanaChains: ReadonlyMap<number, SolanaChainInfo>;
  private readonly evmReader: EvmReader;
  private readonly solanaReader: SolanaReader;
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
    this.ownChainIds = new Set(config.rpcUrls.keys());
    this.solanaChains = createSolanaChains(config.rpcUrls);
    const shared = {
      cache: settings.RPC_CACHE,
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
      ...createChainMetrics(context.metrics.registry),
    };
    const maxLagBlocks = settings.RPC_MAX_LAG_BLOCKS;
    this.evmReader = new EvmReader({ ...shared, chains: this.registry, maxLagBlocks });
    this.solanaReader = new SolanaReader({ ...shared, chains: this.solanaChains });
  }

  find(chainId: number): Chain | undefined {
    return this.solanaChains.get(chainId) ?? this.registry.find(chainId);
  }

  /** An EVM chain with all its nodes, for what reads more of it than rules do. */
  findEvm(chainId: number): ChainInfo | undefined {
    return this.registry.find(chainId);
  }

  /** Chains with a node: EVM ones whose nodes this deployment names, then those of public nodes, each by id, then the clusters of Solana. */
  listWithNode(): Chain[] {
    const clusters = [...this.solanaChains.values()].filter(({ rpcUrls }) => rpcUrls.length > 0);
    const evm = this.registry.listWithNode();
    const isOwn = ({ id }: ChainInfo): boolean => this.ownChainIds.has(id);
    return [...evm.filter(isOwn), ...evm.filter((chain) => !isOwn(chain)), ...clusters];
  }

  /** Whether reads would be made now, so that those of a large check need not be planned in vain. */
  hasRoom(tenantId: string, reads: number): boolean {
    const hasRoom = this.limiter.hasRoom(tenantId, reads);
    if (!hasRoom) this.rejected.inc(reads);
    return hasRoom;
  }

  /**
   * Returns one result per read, in order, within the reader's timeout of 10 s (contract.md section 5). For background reads
   * the timeout starts when it is the tenant's turn. Reads beyond the tenant's share are transient failures.
   */
  async read<T>(
    chainId: number,
    reads: readonly ChainRead<T>[],
    options: ChainReadOptions,
  ): Promise<ReadResult<T>[]> {
    const { lane: roleLane, tenantId, onBlock } = options;
    const lane = roleLane === 'limited' ? 'background' : roleLane;
    const readOptions = { ...options, lane };
    // Rules plan their reads for the family of their chain.
    const read = async () => {
      const results = await (isSolanaChain(chainId)
        ? this.solanaReader.read(chainId, reads as readonly SolanaRead<T>[], readOptions)
        : this.evmReader.read(chainId, reads as readonly ContractRead<T>[], readOptions));
      if (onBlock)
        for (const result of results)
          if (result.ok && result.blockNumber !== undefined) onBlock(chainId, result.blockNumber);
      return results;
    };
    if (roleLane === 'limited') return this.backgroundRounds.runLimited(chainId, tenantId, read);
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
    await Promise.all([this.evmReader.close(), this.solanaReader.close()]);
  }
}

@Module({
  providers: [ChainConfig, ConcurrentReadsConfig, ChainService],
  exports: [ChainConfig, ChainService],
})
export class ChainsModule {}
