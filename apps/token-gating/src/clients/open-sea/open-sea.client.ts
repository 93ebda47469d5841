import { MINUTE_MS } from '@app/common';
import { createConfigClass, envInteger } from '@app/config';
import { SafeHttpClient, SafeHttpError, type TextResponse } from '@app/http';
import { FairRateLimit } from '@app/limits';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { createOpenSeaFailure, type OpenSeaFailure } from './open-sea-chains.js';

const openSeaConfigSchema = z.object({
  OPENSEA_API_KEY: z.string().min(1).optional().meta({
    description: 'Key of the OpenSea API. Without it rules of the type OPEN_SEA are rejected.',
    format: 'text',
    secret: true,
  }),
  OPENSEA_API_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.opensea.io/api/v2')
    .meta({
      description:
        'Version 2 of the OpenSea API. Must be https, unless its address is in `CALLBACK_ALLOW_CIDRS`.',
      format: 'http(s) URL',
    }),
  OPENSEA_REQUESTS_PER_MINUTE: envInteger(1, 100_000)
    .default(60)
    .describe(
      'Requests of one instance to OpenSea. The limit of the key, divided by the number of instances.',
    ),
});

export class OpenSeaConfig extends createConfigClass(openSeaConfigSchema) {}

const LIMITS = { maxBytes: 2 * 1024 * 1024, timeoutMs: 5_000 };
/** The largest page of the API. */
const PAGE_SIZE = 200;
/** Requests that wait, of the checks of one tenant; its background checks have as many. */
const MAX_WAITING_PER_SHARE = 60;
/** The pause after a 429 without a time. */
const DEFAULT_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = MINUTE_MS;

const collectionResponse = z.object({
  contracts: z.array(z.object({ address: z.string().max(128), chain: z.string().max(64) })).max(1_000),
});
export type OpenSeaCollection = z.output<typeof collectionResponse>;

const itemsResponse = z.object({
  nfts: z
    .array(
      z.object({
        identifier: z.string().max(128),
        contract: z.string().max(128),
        collection: z.string().optional(),
      }),
    )
    .max(PAGE_SIZE),
  next: z.string().max(2_048).nullish(),
});
export type OpenSeaItemsPage = z.output<typeof itemsResponse>;

export interface OpenSeaRequest {
  readonly signal: AbortSignal;
  /** The tenant whose share of the waiting requests the request takes. */
  readonly tenantId: string;
  readonly lane: 'foreground' | 'background';
}

/** Calls the OpenSea API with the key of the deployment. Results are values or failures; it does not throw. */
@Injectable()
export class OpenSeaClient {
  private readonly limiter: FairRateLimit;
  private readonly requests: Counter<'outcome'>;
  private readonly baseUrl: string;

  constructor(
    private readonly config: OpenSeaConfig,
    private readonly http: SafeHttpClient,
    { metrics }: ServiceContext,
  ) {
    this.baseUrl = config.OPENSEA_API_URL.replace(/\/$/, '');
    this.limiter = new FairRateLimit({
      requestsPerMinute: config.OPENSEA_REQUESTS_PER_MINUTE,
      maxWaitingPerKey: MAX_WAITING_PER_SHARE,
    });
    this.requests = new Counter({
      name: 'open_sea_requests_total',
      help: 'Requests to OpenSea by outcome: an HTTP status, failed, or limited for those that were not sent.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  get isConfigured(): boolean {
    return this.config.OPENSEA_API_KEY !== undefined;
  }

  fetchCollection(slug: string, request: OpenSeaRequest): Promise<OpenSeaCollection | OpenSeaFailure> {
    return this.get(`/collections/${encodeURIComponent(slug)}`, collectionResponse, request);
  }

  fetchItems(
    {
      chain,
      account,
      slug,
      next,
    }: { chain: string; account: string; slug: string; next: string | undefined },
    request: OpenSeaRequest,
  ): Promise<OpenSeaItemsPage | OpenSeaFailure> {
    const query = new URLSearchParams({ collection: slug, limit: String(PAGE_SIZE) });
    if (next !== undefined) query.set('next', next);
    const path = `/chain/${encodeURIComponent(chain)}/account/${encodeURIComponent(account)}/nfts`;
    return this.get(`${path}?${query.toString()}`, itemsResponse, request);
  }

  private async get<T>(
    path: string,
    schema: z.ZodType<T>,
    { signal, tenantId, lane }: OpenSeaRequest,
  ): Promise<T | OpenSeaFailure> {
    const key = this.config.OPENSEA_API_KEY;
    if (key === undefined)
      return createOpenSeaFailure('open_sea_not_configured', 'this deployment has no key of OpenSea');
    const outcome = await this.limiter.acquire(`${lane} ${tenantId}`, signal);
    if (outcome !== 'granted') {
      this.requests.inc({ outcome: 'limited' });
      return createOpenSeaFailure('open_sea_limit_exceeded', 'too many requests to OpenSea are waiting');
    }
    const response = await this.http
      .getText(this.baseUrl + path, LIMITS, { accept: 'application/json', 'x-api-key': key })
      .catch(toFailure);
    this.requests.inc({ outcome: 'code' in response ? 'failed' : String(response.status) });
    return 'code' in response ? response : this.parse(response, schema);
  }

  private parse<T>({ status, retryAfterMs, text }: TextResponse, schema: z.ZodType<T>): T | OpenSeaFailure {
    if (status === 429) {
      this.limiter.pause(Math.min(MAX_PAUSE_MS, retryAfterMs ?? DEFAULT_PAUSE_MS));
      return createOpenSeaFailure(
        'open_sea_limit_exceeded',
        'OpenSea answered that its rate limit is used up',
      );
    }
    if (status === 404)
      return createOpenSeaFailure('collection_not_found', 'OpenSea does not know this collection');
    // Operators can replace a key that is refused.
    if (status >= 500 || [401, 403, 408].includes(status))
      return createOpenSeaFailure('open_sea_unavailable', `OpenSea answered with status ${status}`);
    if (status !== 200)
      return createOpenSeaFailure('open_sea_refused', `OpenSea answered with status ${status}`);
    const { success, data } = schema.safeParse(parseJson(text));
    return success
      ? data
      : createOpenSeaFailure('open_sea_malformed_answer', 'OpenSea answered in an unknown form');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toFailure(error: unknown): OpenSeaFailure {
  if (!(error instanceof SafeHttpError)) throw error;
  return error.kind === 'too_large' || error.kind === 'bad_answer'
    ? createOpenSeaFailure('open_sea_malformed_answer', `OpenSea's answer cannot be read: ${error.message}`)
    : createOpenSeaFailure('open_sea_unavailable', 'OpenSea could not be reached');
}
