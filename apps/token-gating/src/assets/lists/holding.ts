import type { LongUri } from '../../metadata/metadata.service.js';

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
