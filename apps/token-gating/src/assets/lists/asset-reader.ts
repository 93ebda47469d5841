import { createReadFailure, type ReadResult } from '@app/chain/evm';
import type { DasRequest } from '../../clients/das/das.client.js';
import type { LongUri } from '../../metadata/metadata.service.js';
import type { ChainRead, ChainService } from '../../rules/chains/chain.service.js';
import type { RuleFailure } from '../../rules/verdict.js';

/** How much of an asset an account holds. */
export interface Holding {
  /** Whole tokens of coins and fungible tokens, a count of NFTs. Decimal text. */
  readonly balance: string;
  /** The tokens of NFTs whose ids are known. */
  readonly tokens?: HeldToken[];
}

export interface HeldToken {
  /** Decimal text; of NFTs of Solana the mint. */
  readonly id: string;
  readonly balance: string;
  readonly uri?: string;
  /** Reads a URI that is too long for a batch, when its metadata is added. Never part of a response. */
  readonly longUri?: LongUri;
}

/** Bounds the reads and the response, because contracts choose how many tokens an account holds. */
export const MAX_TOKENS = 100;

export type AssetReadOptions = Pick<DasRequest, 'signal' | 'tenantId'>;

/** An asset could not be read. */
export class AssetReadError extends Error {
  override readonly name = 'AssetReadError';

  constructor(readonly failure: RuleFailure) {
    super(failure.message);
  }
}

/**
 * Reads one chain for one asset. Reads that start in one tick, also those of other assets, share a batch. Later rounds are
 * pinned to the block of the first, so that a transfer between two rounds counts no token twice.
 */
export class AssetReader {
  private pinnedBlock: bigint | undefined;

  constructor(
    private readonly chains: Pick<ChainService, 'read'>,
    readonly chainId: number,
    private readonly options: AssetReadOptions,
  ) {}

  /** The block of the first reads; undefined where they reported none. */
  get block(): bigint | undefined {
    return this.pinnedBlock;
  }

  /** The request to indexers, and for logs. */
  get request(): DasRequest {
    return { lane: 'foreground', ...this.options };
  }

  async read<T>(reads: readonly ChainRead<T>[]): Promise<ReadResult<T>[]> {
    if (reads.length === 0) return [];
    const results = await this.chains.read(this.chainId, reads, { ...this.options, block: this.pinnedBlock });
    for (const result of results) if (result.ok) this.pinnedBlock ??= result.blockNumber;
    return results;
  }

  /** @throws AssetReadError when a read fails, preferably with a transient failure */
  async readAll<T>(reads: readonly ChainRead<T>[]): Promise<T[]> {
    const results = await this.read(reads);
    let failure: RuleFailure | undefined;
    for (const result of results) if (!result.ok && (!failure || !result.permanent)) failure = result;
    if (failure) throw new AssetReadError(failure);
    return results.flatMap((result) => (result.ok ? [result.value] : []));
  }

  async tryOne<T>(read: ChainRead<T>): Promise<ReadResult<T>> {
    const [result] = await this.read([read]);
    return result ?? createReadFailure('timeout', 'the read has no result');
  }

  /** @throws AssetReadError */
  async readOne<T>(read: ChainRead<T>): Promise<T> {
    const [value] = await this.readAll([read]);
    return value as T;
  }

  /** @throws AssetReadError */
  async sum(balances: readonly ChainRead<bigint>[]): Promise<bigint> {
    return (await this.readAll(balances)).reduce((sum, balance) => sum + balance, 0n);
  }
}
