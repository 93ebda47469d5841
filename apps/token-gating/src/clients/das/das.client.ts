import { MINUTE_MS } from '@app/common';
import { SafeHttpClient, SafeHttpError, type TextResponse } from '@app/http';
import { Bulkhead, BulkheadFullError, FairRateLimit } from '@app/limits';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { SolanaCoreConfig } from './solana-core.config.js';

/**
 * - `indexer_unavailable`: the indexer did not answer, or not in time
 * - `indexer_limit_exceeded`: the rate limit of the indexer, or the tenant's share of it, is used up
 * - `indexer_malformed_answer`: the response is not what the API promises
 */
type DasFailureCode = 'indexer_unavailable' | 'indexer_limit_exceeded' | 'indexer_malformed_answer';

/** Why the assets of an account are unknown. A retry may succeed. Same shape as ReadFailure. */
export interface DasFailure {
  readonly ok: false;
  readonly permanent: false;
  readonly code: DasFailureCode;
  readonly message: string;
}

export const createDasFailure = (code: DasFailureCode, message: string): DasFailure => ({
  ok: false,
  permanent: false,
  code,
  message,
});

const PAGE_SIZE = 500;
const LIMITS = { maxBytes: 8 * 1024 * 1024, timeoutMs: 5_000 };
/** Requests of the checks of one tenant; its background checks have as many. Callers choose accounts that take long. */
const MAX_RUNNING_PER_SHARE = 4;
const MAX_WAITING_PER_SHARE = 60;
/** The pause after a 429 without a time. */
const DEFAULT_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = MINUTE_MS;

const address = z.string().max(64);

const asset = z.object({
  id: address,
  interface: z.string().max(64),
  content: z.object({ json_uri: z.string().max(4_096).nullish() }).nullish(),
  compression: z.object({ compressed: z.boolean().nullish() }).nullish(),
  /** `verified` is false for a collection that did not accept the asset; indexers leave it out for one that did. */
  grouping: z
    .array(
      z.object({ group_key: z.string(), group_value: z.string().nullish(), verified: z.boolean().nullish() }),
    )
    .nullish(),
  creators: z.array(z.object({ address, verified: z.boolean().nullish() })).nullish(),
  ownership: z.object({ owner: address }),
  burnt: z.boolean().nullish(),
});
export type DasAsset = z.output<typeof asset>;

export interface DasPage {
  readonly assets: readonly DasAsset[];
  readonly isLast: boolean;
}

/** A page too large to be read says nothing about the indexer: any sender can make assets with long metadata. */
export type DasAnswer = DasPage | 'too_large' | DasFailure;

const result = z.object({
  items: z.array(asset).max(PAGE_SIZE),
  /** The size of the page: less than was asked for where the indexer has smaller pages. */
  limit: z.number().min(1).max(PAGE_SIZE).catch(PAGE_SIZE),
});

const response = z.union([z.object({ result }), z.object({ error: z.object({ code: z.number() }) })]);

const RATE_LIMITED_CODES: readonly unknown[] = [429, -32_429];

export interface DasRequest {
  readonly signal: AbortSignal;
  /** The tenant whose share of the waiting requests the request takes. */
  readonly tenantId: string;
  readonly lane: 'foreground' | 'background';
}

/**
 * Calls indexers of the Digital Asset Standard (https://developers.metaplex.com/das-api). Results are values or failures; it
 * does not throw.
 */
@Injectable()
export class DasClient {
  private readonly shares = new Bulkhead({
    maxPerKey: MAX_RUNNING_PER_SHARE,
    maxWaitingPerKey: MAX_WAITING_PER_SHARE,
  });
  private readonly limiters = new Map<string, FairRateLimit>();
  private readonly requests: Counter<'outcome'>;

  constructor(
    private readonly config: SolanaCoreConfig,
    private readonly http: SafeHttpClient,
    { metrics }: ServiceContext,
  ) {
    this.requests = new Counter({
      name: 'das_requests_total',
      help: 'Requests to indexers of Solana by outcome: an HTTP status, failed, or limited for those that were not sent.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  /** @param page from 1 on */
  fetchAssets(
    url: string,
    owner: string,
    page: number,
    { signal, tenantId, lane }: DasRequest,
  ): Promise<DasAnswer> {
    const share = `${lane} ${tenantId}`;
    const params = { ownerAddress: owner, page, limit: PAGE_SIZE };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getAssetsByOwner', params });
    return this.shares
      .run(share, async () => {
        const limiter = this.getLimiter(url);
        return (await limiter.acquire(share, signal)) === 'granted'
          ? this.post(url, body, limiter)
          : this.refuse();
      })
      .catch((error: unknown) => {
        if (error instanceof BulkheadFullError) return this.refuse();
        throw error;
      });
  }

  private async post(url: string, body: string, limiter: FairRateLimit): Promise<DasAnswer> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await this.http.postText(url, body, headers, LIMITS).catch(toFailure);
    const isAnswered = typeof answer === 'object' && 'status' in answer;
    this.requests.inc({ outcome: isAnswered ? String(answer.status) : 'failed' });
    return isAnswered ? parse(answer, limiter) : answer;
  }

  private refuse(): DasFailure {
    this.requests.inc({ outcome: 'limited' });
    return createDasFailure('indexer_limit_exceeded', 'too many requests to the indexer are waiting');
  }

  private getLimiter(url: string): FairRateLimit {
    let limiter = this.limiters.get(url);
    if (!limiter) {
      const requestsPerMinute = this.config.settings.DAS_REQUESTS_PER_MINUTE;
      limiter = new FairRateLimit({ requestsPerMinute, maxWaitingPerKey: MAX_RUNNING_PER_SHARE });
      this.limiters.set(url, limiter);
    }
    return limiter;
  }
}

function parse({ status, retryAfterMs, text }: TextResponse, limiter: FairRateLimit): DasAnswer {
  const { data } = response.safeParse(parseJson(text));
  const errorCode = data && 'error' in data ? data.error.code : undefined;
  if (status === 429 || RATE_LIMITED_CODES.includes(errorCode)) {
    limiter.pause(Math.min(MAX_PAUSE_MS, retryAfterMs ?? DEFAULT_PAUSE_MS));
    return createDasFailure('indexer_limit_exceeded', 'the indexer answered that its rate limit is used up');
  }
  if (status !== 200)
    return createDasFailure('indexer_unavailable', `the indexer answered with status ${status}`);
  if (!data) return createDasFailure('indexer_malformed_answer', 'the indexer answered in an unknown form');
  return 'error' in data
    ? createDasFailure('indexer_unavailable', `the indexer answered with error ${data.error.code}`)
    : toPage(data.result);
}

/** Indexers leave out assets whose data they lack, so a page that is nearly full need not be the last one. */
const toPage = ({ items, limit }: z.output<typeof result>): DasPage => ({
  assets: items,
  isLast: items.length < limit / 2,
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toFailure(error: unknown): 'too_large' | DasFailure {
  if (!(error instanceof SafeHttpError)) throw error;
  if (error.kind === 'too_large') return 'too_large';
  return error.kind === 'bad_answer'
    ? createDasFailure(
        'indexer_malformed_answer',
        `the answer of the indexer cannot be read: ${error.message}`,
      )
    : createDasFailure('indexer_unavailable', 'the indexer could not be reached');
}
