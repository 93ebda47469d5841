import { parseTokenIdLines, type TokenIds } from '@app/dto';
import { SafeHttpError, SafeHttpClient } from '@app/http';
import { Injectable } from '@nestjs/common';
import { bulkhead, BulkheadRejectedError } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import {
  toTokenListFailure,
  findStatusFailure,
  type TokenListFailure,
  createTokenListFailure,
} from '../../rules/token-list-failure.js';

/** contract.md section 5. */
const FETCH_LIMITS = { maxBytes: 1024 * 1024, timeoutMs: 5_000 };
const CACHE_TTL_MS = 30_000;
/** Keeps concurrent checks from fetching a failing list again at once. */
const FAILURE_CACHE_TTL_MS = 1_000;
/** Maximum ranges of all cached lists, about 150 bytes each. */
const MAX_CACHED_RANGES = 200_000;
const MAX_CACHED_LISTS = 2_000;
/** Further fetches fail at once: clients choose the servers, and waiting would exceed the time limit of a check. */
const MAX_CONCURRENT_FETCHES = 128;

type TokenListResult = TokenIds | TokenListFailure;

const isFailure = (result: TokenListResult): result is TokenListFailure => 'code' in result;

/** Fetches lists of token ids, once for concurrent checks, and caches them for half a minute. */
@Injectable()
export class TokenListService {
  private readonly cache = new LRUCache<string, TokenListResult>({
    max: MAX_CACHED_LISTS,
    maxSize: MAX_CACHED_RANGES,
    sizeCalculation: (result) => (isFailure(result) ? 1 : result.ranges.length),
  });
  private readonly pending = new Map<string, Promise<TokenListResult>>();
  private readonly limiter = bulkhead(MAX_CONCURRENT_FETCHES);

  constructor(private readonly fetcher: SafeHttpClient) {}

  /** Why a URL is not allowed, without a request to it; undefined when it is allowed. */
  getBlockReason(url: string): string | undefined {
    return this.fetcher.findUrlProblem(url);
  }

  /** Resolves with a failure when the list cannot be fetched or parsed. */
  async find(url: string): Promise<TokenListResult> {
    const known = this.cache.get(url) ?? this.pending.get(url);
    if (known) return known;
    const fetched = this.fetch(url).finally(() => this.pending.delete(url));
    this.pending.set(url, fetched);
    return fetched;
  }

  private async fetch(url: string): Promise<TokenListResult> {
    const result = await this.limiter
      .execute(() => this.fetcher.getText(url, FETCH_LIMITS))
      .then(
        (answer) => findStatusFailure(answer) ?? parseList(answer.text),
        (error: unknown) => toFailure(error),
      );
    this.cache.set(url, result, { ttl: isFailure(result) ? FAILURE_CACHE_TTL_MS : CACHE_TTL_MS });
    return result;
  }
}

function parseList(text: string): TokenListResult {
  const ids = parseTokenIdLines(text);
  return typeof ids === 'string' ? createTokenListFailure('list_malformed', ids) : ids;
}

function toFailure(error: unknown): TokenListFailure {
  if (error instanceof SafeHttpError) return toTokenListFailure(error);
  if (error instanceof BulkheadRejectedError)
    return createTokenListFailure('list_unavailable', 'was not fetched: too many others are at the moment');
  throw error;
}
