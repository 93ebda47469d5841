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
import { MINUTE_MS, boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { CheckRequester } from './budget-key.queries.js';
import { ContractCheckLimiter, nodesUnavailable } from './contract-check-limiter.js';
const MAX_CACHED_REFUSALS = 10_000;
const REFUSAL_TTL_MS = MINUTE_MS;
/** Becomes valid once the owners approve the message on chain, so a refusal says nothing of the next attempt. */
const EMPTY_SIGNATURE = '0x';

/** Verifies signatures of contract wallets (ERC-1271, ERC-6492). */
@Injectable()
export class ContractWalletService implements OnApplicationShutdown {
  private readonly chains: ChainRegistry;
  private readonly signatures: ContractSignatureVerifier;
  /** Digests of invalid signatures that are not empty, so that repeating one costs no call to a node. */
  private readonly refused = new LRUCache<string, true>({
    ...boundEntries(MAX_CACHED_REFUSALS),
    ttl: REFUSAL_TTL_MS,
  });

  constructor(
    config: ChainConfig,
    private readonly limiter: ContractCheckLimiter,
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

  /** Whether the chain registry lists this chain. */
  isKnownChain(chainId: number): boolean {
    return this.chains.find(chainId) !== undefined;
  }

  /** Whether nodes of this chain are configured. Without them its contract wallets cannot be verified. */
  hasNodes(chainId: number): boolean {
    return this.signatures.hasNodes(chainId);
  }

  /**
   * Does not recognise signatures of an externally owned account: recover the signer of those first.
   * @throws AppError 503 when no node answers, 429 over a limit
   */
  async isValidSignature(requester: CheckRequester, claim: ContractSignatureClaim): Promise<boolean> {
    if (!this.hasNodes(claim.chainId)) return false;
    const digest = computeDigest(claim);
    if (this.refused.has(digest)) return false;
    const release = await this.limiter.acquire(requester, claim.chainId);
    try {
      const isSigned = await this.signatures.isValidSignature(claim);
      if (!isSigned && claim.signature !== EMPTY_SIGNATURE) this.refused.set(digest, true);
      return isSigned;
    } catch (error) {
      if (error instanceof NodesUnavailableError) throw nodesUnavailable(error);
      throw error;
    } finally {
      release();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.signatures.close();
  }
}

/** Equal for every letter case of address and signature. */
const computeDigest = ({ chainId, account, message, signature }: ContractSignatureClaim): string =>
  hash(
    'sha256',
    JSON.stringify([chainId, account.toLowerCase(), signature.toLowerCase(), message]),
    'base64',
  );
