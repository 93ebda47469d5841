import {
  ChainConfig,
  configuredChains,
  ContractSignatures,
  nodeMetrics,
  NodesUnavailable,
  type SignedByContract,
} from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { nodesAway } from './ethereum-login.errors.js';

/** What contract accounts say of signatures (ERC-1271, ERC-6492). */
@Injectable()
export class ContractWallets implements OnApplicationShutdown {
  private readonly signatures: ContractSignatures;

  constructor(config: ChainConfig, { metrics }: ServiceContext) {
    const { switches } = config;
    this.signatures = new ContractSignatures({
      chains: configuredChains(config),
      maxLagBlocks: switches.RPC_MAX_LAG_BLOCKS,
      connectTimeoutMs: switches.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: switches.RPC_TIMEOUT_MS,
      ...nodeMetrics(metrics.registry),
    });
  }

  /** Ask about a plain key's signature first: it is none of a contract's. @throws AppError 503 when no node could be asked */
  async isSignedBy(question: SignedByContract): Promise<boolean> {
    try {
      return await this.signatures.isSignedBy(question);
    } catch (error) {
      if (error instanceof NodesUnavailable) throw nodesAway(error);
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.signatures.close();
  }
}
