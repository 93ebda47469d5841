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
const LIMITS = { maxBytes: 1024 * 1024, timeoutMs: 5_000 };
const FRESH_MS = 30_000;
/** Many checks that fail together do not all ask again. */
const FAILED_MS = 1_000;
/** Ranges over all lists in memory, of about 150 bytes each. */
const MOST_RANGES = 200_000;
const MOST_LISTS = 2_000;
/** Callers choose how slow they are. Nobody waits for a place: that time would come on top. */
const FETCHED_AT_ONCE = 128;

type Found = TokenIds | TokenListFailure;

const isFailure = (found: Found): found is TokenListFailure => 'code' in found;

/** Lists of token ids by URL: fetched once for all checks that need one at a time, and kept for half a minute. */
@Injectable()
export class TokenListService {
  private readonly cache = new LRUCache<string, Found>({
    max: MOST_LISTS,
    maxSize: MOST_RANGES,
    sizeCalculation: (found) => (isFailure(found) ? 1 : found.ranges.length),
  });
  private readonly underWay = new Map<string, Promise<Found>>();
  private readonly gate = bulkhead(FETCHED_AT_ONCE);

  constructor(private readonly fetcher: SafeHttpClient) {}

  /** What is wrong with a URL, told without calling it; undefined when it may be tried. */
  getBlockReason(url: string): string | undefined {
    return this.fetcher.findUrlProblem(url);
  }

  /** Never rejects for what others do wrong. */
  async find(url: string): Promise<Found> {
    const known = this.cache.get(url) ?? this.underWay.get(url);
    if (known) return known;
    const fetched = this.fetch(url).finally(() => this.underWay.delete(url));
    this.underWay.set(url, fetched);
    return fetched;
  }

  private async fetch(url: string): Promise<Found> {
    const found = await this.gate
      .execute(() => this.fetcher.getText(url, LIMITS))
      .then(
        (answer) => findStatusFailure(answer) ?? readList(answer.text),
        (error: unknown) => failureOf(error),
      );
    this.cache.set(url, found, { ttl: isFailure(found) ? FAILED_MS : FRESH_MS });
    return found;
  }
}

function readList(text: string): Found {
  const ids = parseTokenIdLines(text);
  return typeof ids === 'string' ? createTokenListFailure('list_malformed', ids) : ids;
}

function failureOf(error: unknown): TokenListFailure {
  if (error instanceof SafeHttpError) return toTokenListFailure(error);
  if (error instanceof BulkheadRejectedError)
    return createTokenListFailure('list_unavailable', 'was not fetched: too many others are at the moment');
  throw error;
}
