import { hash } from 'node:crypto';
import {
  ChainConfig,
  type ChainRegistry,
  createConfiguredChainRegistry,
  ContractSignatureVerifier,
  createNodeMetrics,
  NodesUnavailableError,
  type ContractSignatureClaim,
} from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CheckRequester } from './budget-key.queries.js';
import { ContractCheckLimiter } from './contract-check-limiter.js';
import { nodesUnavailable } from './wallet-signatures.errors.js';

const MOST_REFUSED = 10_000;
const REFUSED_FOR_MS = 60_000;

/** What contract accounts say of signatures (ERC-1271, ERC-6492). */
@Injectable()
export class ContractWalletService implements OnApplicationShutdown {
  private readonly chains: ChainRegistry;
  private readonly signatures: ContractSignatureVerifier;
  /** Who shows the same bad signature again, at whichever gateway, costs no question to a node. */
  private readonly refused = new LRUCache<string, true>({ max: MOST_REFUSED, ttl: REFUSED_FOR_MS });

  constructor(
    config: ChainConfig,
    private readonly limits: ContractCheckLimiter,
    { metrics }: ServiceContext,
  ) {
    const { settings } = config;
    this.chains = createConfiguredChainRegistry(config);
    this.signatures = new ContractSignatureVerifier({
      chains: this.chains,
      maxLagBlocks: settings.RPC_MAX_LAG_BLOCKS,
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
      ...createNodeMetrics(metrics.registry),
    });
  }

  /** Whether there is such a chain, as far as we know. */
  isKnownChain(chainId: number): boolean {
    return this.chains.find(chainId) !== undefined;
  }

  /** Whether we have nodes of it: without them its contract accounts prove nothing here. */
  hasNodes(chainId: number): boolean {
    return this.signatures.hasNodes(chainId);
  }

  /**
   * Ask about a plain key's signature first: it is none of a contract's.
   * @throws AppError 503 when no node could be asked, 429 when there is too much to ask already
   */
  async isValidSignature(asker: CheckRequester, question: ContractSignatureClaim): Promise<boolean> {
    if (!this.hasNodes(question.chainId)) return false;
    const digest = digestOf(question);
    if (this.refused.has(digest)) return false;
    const end = await this.limits.acquire(asker, question.chainId);
    try {
      const isSigned = await this.signatures.isValidSignature(question);
      if (!isSigned) this.refused.set(digest, true);
      return isSigned;
    } catch (error) {
      if (error instanceof NodesUnavailableError) throw nodesUnavailable(error);
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
const digestOf = ({ chainId, account, message, signature }: ContractSignatureClaim): string =>
  hash(
    'sha256',
    JSON.stringify([chainId, account.toLowerCase(), signature.toLowerCase(), message]),
    'base64',
  );
