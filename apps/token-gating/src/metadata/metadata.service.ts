import { HOUR_MS, MINUTE_MS } from '@app/common';
import type { ReadLane, ReadResult } from '@app/chain/evm';
import { SafeHttpError } from '@app/http';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ArweaveMetadataClient, WebMetadataClient } from './web-metadata.client.js';
import { IpfsMetadataClient } from './ipfs/ipfs-metadata.client.js';
import { MetadataDocument, type MetadataResult } from './metadata-document.js';
import {
  createMetadataFailure,
  type MetadataFailure,
  type MetadataFetchBudget,
  toMetadataFailure,
} from './metadata-failure.js';
import { MetadataFetchLimiter } from './metadata-fetch-limiter.js';
import { METADATA_LIMITS } from './metadata.config.js';
import {
  decodeDataUri,
  decodeText,
  getMetadataScheme,
  type MetadataScheme,
  resolveMetadataUri,
} from './metadata-uri.js';
const CACHE_TTL_MS = HOUR_MS;
const PERMANENT_FAILURE_CACHE_TTL_MS = MINUTE_MS;
/** Keeps concurrent requests from fetching a failing document again at once. */
const TRANSIENT_FAILURE_CACHE_TTL_MS = 1_000;
/** Memory of cached texts and URIs, at two bytes a character. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
const MAX_CACHED_DOCUMENTS = 20_000;

export interface FindMetadataOptions {
  /** The tenant whose share of the fetches in progress the fetch takes. */
  readonly tenantId: string;
  /** Replaces `{id}` in URIs of ERC-1155 contracts. */
  readonly tokenId?: bigint | undefined;
  /** Ends the wait with a transient failure. The fetch goes on for others, within its own timeout. */
  readonly signal?: AbortSignal | undefined;
  /** The budget of the request; cached documents and data URIs do not count. */
  readonly budget?: MetadataFetchBudget | undefined;
}

/** A URI that may be too long for a read in a batch, and is read alone. */
export interface LongUri {
  /** Chain, contract and call, for the cache and the budget. */
  readonly key: string;
  /** The nodes of all chains are one server for the bounds of fetches, apart by lane: those in the background wait for each other. */
  readonly lane: ReadLane;
  readonly read: () => Promise<ReadResult<string>>;
}

/** Finds the metadata of tokens by the URIs that their contracts return. */
@Injectable()
export class MetadataService {
  private readonly cache = new LRUCache<string, MetadataResult>({
    max: MAX_CACHED_DOCUMENTS,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: (result, uri) =>
      2 * (uri.length + (result.ok ? result.text.length : result.message.length)),
  });
  private readonly pending = new Map<string, Promise<MetadataResult>>();

  private readonly clients: Readonly<Record<FetchedScheme, Pick<IpfsMetadataClient, 'get'>>>;

  constructor(
    web: WebMetadataClient,
    ipfs: IpfsMetadataClient,
    ar: ArweaveMetadataClient,
    private readonly limiter: MetadataFetchLimiter,
  ) {
    this.clients = { https: web, ipfs, ar };
  }

  /** Resolves with a failure when there is no document; never rejects because of what a contract or server answered. */
  async find(uri: string, options: FindMetadataOptions): Promise<MetadataResult> {
    const { tenantId, tokenId, signal, budget } = options;
    const resolved = resolveMetadataUri(uri, tokenId);
    if (typeof resolved !== 'string') return resolved;
    const scheme = getMetadataScheme(resolved);
    if (typeof scheme !== 'string') return scheme;
    if (scheme === 'data') return parseDataUri(resolved);
    const known = this.findKnown(resolved);
    if (!known && budget?.take(resolved) === false) return BUDGET_USED_UP;
    return waitUnlessAborted(known ?? this.load(scheme, resolved, tenantId), signal);
  }

  /**
   * The metadata at a URI that is too long to be read in a batch, which is read within the bounds of fetches. Such a URI holds its document,
   * which is kept for a minute only, because contracts change it.
   */
  async findLong({ key, lane, read }: LongUri, options: FindMetadataOptions): Promise<MetadataResult> {
    const { tenantId, tokenId, signal, budget } = options;
    const known = this.findKnown(key);
    if (!known && budget?.take(key) === false) return BUDGET_USED_UP;
    const reading =
      known ??
      this.limiter.execute(
        { tenantId, server: `chains ${lane}` },
        () => (signal?.aborted ? NOT_IN_TIME : this.findKnown(key)),
        async () => {
          const result = toLongMetadata(await read(), tokenId);
          // Transient failures belong to one caller: the share of reads, or a wait that ended.
          if (result.ok || result.permanent) this.cache.set(key, result, { ttl: MINUTE_MS });
          return result;
        },
      );
    return waitUnlessAborted(reading, signal);
  }

  private findKnown(uri: string): MetadataResult | Promise<MetadataResult> | undefined {
    return this.cache.get(uri) ?? this.pending.get(uri);
  }

  /** A fetch that waits for its turn is not in `pending`, because other tenants need not wait for it. */
  private load(scheme: FetchedScheme, uri: string, tenantId: string): Promise<MetadataResult> {
    const server = this.getServer(scheme, uri);
    return this.limiter.execute(
      { tenantId, server },
      () => this.findKnown(uri),
      () => this.fetch(scheme, uri, tenantId),
    );
  }

  private getServer(scheme: FetchedScheme, uri: string): string {
    return scheme === 'https' && URL.canParse(uri) ? new URL(uri).origin : scheme;
  }

  private fetch(scheme: FetchedScheme, uri: string, tenantId: string): Promise<MetadataResult> {
    const fetched = this.fetchNow(scheme, uri, tenantId).finally(() => this.pending.delete(uri));
    this.pending.set(uri, fetched);
    return fetched;
  }

  private async fetchNow(scheme: FetchedScheme, uri: string, tenantId: string): Promise<MetadataResult> {
    const deadline = performance.now() + METADATA_LIMITS.timeoutMs;
    const content = await this.clients[scheme].get(uri, deadline, tenantId).catch(toFailure);
    const result = Buffer.isBuffer(content) ? MetadataDocument.parse(decodeText(content)) : content;
    this.cache.set(uri, result, { ttl: getTtlMs(result) });
    return result;
  }
}

type FetchedScheme = Exclude<MetadataScheme, 'data'>;

const BUDGET_USED_UP = createMetadataFailure(
  'metadata_limit_exceeded',
  'was not fetched: the request needs more than 200 documents',
);

const TOO_LONG = createMetadataFailure(
  'metadata_refused',
  'has a URI longer than 16 KiB that holds no document',
);

const NOT_IN_TIME = createMetadataFailure('metadata_timeout', 'was not fetched in time');

function toLongMetadata(uri: ReadResult<string>, tokenId: bigint | undefined): MetadataResult {
  if (!uri.ok)
    return createMetadataFailure(
      uri.permanent ? 'metadata_malformed' : 'metadata_unavailable',
      `could not be read from the contract: ${uri.message}`,
    );
  const resolved = resolveMetadataUri(uri.value, tokenId);
  if (typeof resolved !== 'string') return resolved;
  const scheme = getMetadataScheme(resolved);
  if (typeof scheme !== 'string') return scheme;
  return scheme === 'data' ? parseDataUri(resolved) : TOO_LONG;
}

/** The first reading of a data URI that is a document, or why the most probable one is none. */
function parseDataUri(uri: string): MetadataResult {
  const texts = decodeDataUri(uri);
  if ('ok' in texts) return texts;
  let failure: MetadataFailure | undefined;
  for (const text of new Set(texts)) {
    const result =
      Buffer.byteLength(text) > METADATA_LIMITS.maxBytes ? TOO_LARGE : MetadataDocument.parse(text);
    if (result.ok) return result;
    failure ??= result;
  }
  return failure ?? TOO_LARGE;
}

const TOO_LARGE = createMetadataFailure('metadata_malformed', 'is longer than 1 MiB');

function getTtlMs(result: MetadataResult): number {
  if (result.ok) return CACHE_TTL_MS;
  return result.permanent ? PERMANENT_FAILURE_CACHE_TTL_MS : TRANSIENT_FAILURE_CACHE_TTL_MS;
}

function toFailure(error: unknown): MetadataFailure {
  if (error instanceof SafeHttpError) return toMetadataFailure(error);
  throw error;
}

/** Resolves with a transient failure once the signal is aborted; the work goes on. */
function waitUnlessAborted(
  work: MetadataResult | Promise<MetadataResult>,
  signal: AbortSignal | undefined,
): MetadataResult | Promise<MetadataResult> {
  if (!signal || !(work instanceof Promise)) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      resolve(NOT_IN_TIME);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
