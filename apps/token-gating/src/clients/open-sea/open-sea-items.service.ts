import { HOUR_MS, MINUTE_MS } from '@app/common';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { createOpenSeaFailure, type OpenSeaFailure } from './open-sea-chains.js';
import { OpenSeaClient, type OpenSeaCollection, type OpenSeaRequest } from './open-sea.client.js';

/** contract.md section 8. */
const COLLECTION_TTL_MS = HOUR_MS;
const ITEMS_TTL_MS = MINUTE_MS;
const MAX_COLLECTIONS = 2_000;
/** All cached item ids, about 150 bytes each. */
const MAX_CACHED_ITEMS = 100_000;
const MAX_CACHED_LISTS = 10_000;
/** A request that repeats its pages must end. */
const MAX_PAGES = 50;

/** The items of one account in one collection on one chain, as far as they were read. */
export interface OpenSeaItems {
  /** Contract, in lower case, and identifier. */
  readonly ids: ReadonlySet<string>;
  /** The cursor of the next page; undefined when all pages were read. */
  readonly next: string | undefined;
  readonly pageCount: number;
}

export interface ItemsOwner {
  readonly slug: string;
  readonly chain: string;
  readonly account: string;
}

const NOTHING_READ: OpenSeaItems = { ids: new Set(), next: '', pageCount: 0 };

/** Reads which items of a collection an account holds, and caches the answers. */
@Injectable()
export class OpenSeaItemsService {
  private readonly collections = new LRUCache<string, OpenSeaCollection>({
    max: MAX_COLLECTIONS,
    ttl: COLLECTION_TTL_MS,
  });
  private readonly items = new LRUCache<string, OpenSeaItems>({
    max: MAX_CACHED_LISTS,
    maxSize: MAX_CACHED_ITEMS,
    sizeCalculation: ({ ids }) => ids.size + 1,
  });
  /** Requests in flight, by tenant and result: a tenant never waits for the turn of another. */
  private readonly pending = new Map<string, Promise<unknown>>();

  constructor(private readonly client: OpenSeaClient) {}

  get isConfigured(): boolean {
    return this.client.isConfigured;
  }

  findCollection(slug: string, request: OpenSeaRequest): Promise<OpenSeaCollection | OpenSeaFailure> {
    const cached = this.collections.get(slug);
    if (cached) return Promise.resolve(cached);
    return this.once(`collection ${slug}`, request, async () => {
      const result = await this.client.fetchCollection(slug, request);
      if (!('code' in result)) this.collections.set(slug, result);
      return result;
    });
  }

  /**
   * Reads pages until the list is complete, or `isEnough` says that the rest does not matter.
   * @returns what was read, and the failure that ended it before
   */
  async findItems(
    owner: ItemsOwner,
    isEnough: (ids: ReadonlySet<string>) => boolean,
    request: OpenSeaRequest,
  ): Promise<{ readonly items: OpenSeaItems; readonly failure?: OpenSeaFailure }> {
    const key = `items ${owner.slug} ${owner.chain} ${owner.account}`;
    let items = this.items.get(key) ?? NOTHING_READ;
    while (items.next !== undefined && !isEnough(items.ids) && items.pageCount < MAX_PAGES) {
      const known = items;
      const more = await this.once(key, request, () => this.readPage(key, owner, known, request));
      if ('code' in more) return { items, failure: more };
      items = more;
    }
    return { items };
  }

  private async readPage(
    key: string,
    owner: ItemsOwner,
    { ids, next, pageCount }: OpenSeaItems,
    request: OpenSeaRequest,
  ): Promise<OpenSeaItems | OpenSeaFailure> {
    const page = await this.client.fetchItems({ ...owner, next: next === '' ? undefined : next }, request);
    if ('code' in page) return page;
    const found = page.nfts.filter(({ collection }) => collection === undefined || collection === owner.slug);
    const all = new Set(ids);
    for (const { contract, identifier } of found) all.add(`${contract.toLowerCase()} ${identifier}`);
    const list = {
      ids: all,
      next: page.next === '' ? undefined : (page.next ?? undefined),
      pageCount: pageCount + 1,
    };
    // The list is as old as its first page.
    this.items.set(key, list, {
      ttl: pageCount === 0 ? ITEMS_TTL_MS : Math.max(1, this.items.getRemainingTTL(key)),
    });
    return list;
  }

  /** Makes concurrent requests of one tenant for the same result once. */
  private async once<T>(
    key: string,
    { signal, tenantId, lane }: OpenSeaRequest,
    fetch: () => Promise<T>,
  ): Promise<T | OpenSeaFailure> {
    const pendingKey = `${lane} ${tenantId} ${key}`;
    const running = this.pending.get(pendingKey) as Promise<T> | undefined;
    const result = running ?? fetch().finally(() => this.pending.delete(pendingKey));
    if (!running) this.pending.set(pendingKey, result);
    return endWith(signal, result);
  }
}

/** The result, or a failure once the signal aborts; the work goes on, for other requests and the cache. */
function endWith<T>(signal: AbortSignal, result: Promise<T>): Promise<T | OpenSeaFailure> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      resolve(createOpenSeaFailure('open_sea_unavailable', 'OpenSea did not answer in time'));
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    result.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
