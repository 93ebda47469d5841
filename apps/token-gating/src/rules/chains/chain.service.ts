import {
  ChainConfig,
  type ChainInfo,
  type ChainRegistry,
  type ContractRead,
  createConfiguredChainRegistry,
  EvmReader,
  type ReadOptions,
  type ReadResult,
} from '@app/chain/evm';
import { createSolanaChains, type SolanaChainInfo, type SolanaRead, SolanaReader } from '@app/chain/solana';
import { isSolanaChain } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ChainMutex } from './chain-mutex.js';
import { createChainMetrics } from './chain-metrics.js';

/** A chain of any family. */
export type Chain = ChainInfo | SolanaChainInfo;
/** One read of a chain; all reads of one chain are of its family. */
export type ChainRead<T> = ContractRead<T> | SolanaRead<T>;

/** The chains of this deployment and their readers. */
@Injectable()
export class ChainService implements OnApplicationShutdown {
  private readonly registry: ChainRegistry;
  private readonly solanaChains: ReadonlyMap<number, SolanaChainInfo>;
  private readonly evmReader: EvmReader;
  private readonly solanaReader: SolanaReader;
  private readonly backgroundMutex = new ChainMutex();

  constructor(config: ChainConfig, context: ServiceContext) {
    const { settings } = config;
    this.registry = createConfiguredChainRegistry(config);
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

  /**
   * Returns one result per read, in order, within the reader's timeout of 10 s (contract.md section 5). For background reads
   * the timeout starts when earlier rounds have ended.
   */
  read<T>(chainId: number, reads: readonly ChainRead<T>[], options?: ReadOptions): Promise<ReadResult<T>[]> {
    // Rules plan their reads for the family of their chain.
    const read = () =>
      isSolanaChain(chainId)
        ? this.solanaReader.read(chainId, reads as readonly SolanaRead<T>[], options)
        : this.evmReader.read(chainId, reads as readonly ContractRead<T>[], options);
    return options?.lane === 'background' ? this.backgroundMutex.runExclusive(chainId, read) : read();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.evmReader.close(), this.solanaReader.close()]);
  }
}
