import { hash } from 'node:crypto';
import {
  ChainConfig,
  type ChainRegistry,
  configuredChains,
  ContractSignatures,
  nodeMetrics,
  NodesUnavailable,
  type SignedByContract,
} from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CheckAsker } from './check-holders.js';
import { ContractCheckLimits } from './contract-check-limits.js';
import { nodesAway } from './ethereum-login.errors.js';

const MOST_REFUSED = 10_000;
const REFUSED_FOR_MS = 60_000;

/** What contract accounts say of signatures (ERC-1271, ERC-6492). */
@Injectable()
export class ContractWallets implements OnApplicationShutdown {
  private readonly chains: ChainRegistry;
  private readonly signatures: ContractSignatures;
  /** Who shows the same bad signature again, at whichever gateway, costs no question to a node. */
  private readonly refused = new LRUCache<string, true>({ max: MOST_REFUSED, ttl: REFUSED_FOR_MS });

  constructor(
    config: ChainConfig,
    private readonly limits: ContractCheckLimits,
    { metrics }: ServiceContext,
  ) {
    const { switches } = config;
    this.chains = configuredChains(config);
    this.signatures = new ContractSignatures({
      chains: this.chains,
      maxLagBlocks: switches.RPC_MAX_LAG_BLOCKS,
      connectTimeoutMs: switches.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: switches.RPC_TIMEOUT_MS,
      ...nodeMetrics(metrics.registry),
    });
  }

  /** Whether there is such a chain, as far as we know. */
  knows(chainId: number): boolean {
    return this.chains.find(chainId) !== undefined;
  }

  /** Whether we have nodes of it: without them its contract accounts prove nothing here. */
  canAsk(chainId: number): boolean {
    return this.signatures.canAsk(chainId);
  }

  /**
   * Ask about a plain key's signature first: it is none of a contract's.
   * @throws AppError 503 when no node could be asked, 429 when there is too much to ask already
   */
  async isSignedBy(asker: CheckAsker, question: SignedByContract): Promise<boolean> {
    if (!this.canAsk(question.chainId)) return false;
    const digest = digestOf(question);
    if (this.refused.has(digest)) return false;
    const end = await this.limits.begin(asker, question.chainId);
    try {
      const isSigned = await this.signatures.isSignedBy(question);
      if (!isSigned) this.refused.set(digest, true);
      return isSigned;
    } catch (error) {
      if (error instanceof NodesUnavailable) throw nodesAway(error);
      throw error;
    } finally {
      end();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.signatures.close();
  }
}

/** The same for every spelling of address and signature. */
const digestOf = ({ chainId, account, message, signature }: SignedByContract): string =>
  hash(
    'sha256',
    JSON.stringify([chainId, account.toLowerCase(), signature.toLowerCase(), message]),
    'base64',
  );
