import type { SolanaNft } from '@app/chain/solana';
import { hasFinishedWithin } from '@app/common';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  createDasFailure,
  type DasAsset,
  DasClient,
  type DasFailure,
  type DasRequest,
} from './das.client.js';
/** contract.md section 8. */
const MAX_LISTED_ASSETS = 10_000;
/** The answers are as old as the indexer's, and this. */
const CACHE_TTL_MS = 10_000;
const MAX_CACHED_LISTS = 2_000;
/** All cached assets, about 300 bytes each. */
const MAX_CACHED_ASSETS = 50_000;
/** The time for all pages of one account, which is what a check has. */
const TIMEOUT_MS = 10_000;

/** The assets of an account; `isComplete` is false for an account with more than are read, or with a page that is too large. */
export interface DasAssetList {
  readonly nfts: readonly SolanaNft[];
  readonly isComplete: boolean;
}

/** Lists the Core and compressed assets of an account, and caches the lists. */
@Injectable()
export class DasAssetsService {
  private readonly lists = new LRUCache<string, DasAssetList>({
    max: MAX_CACHED_LISTS,
    maxSize: MAX_CACHED_ASSETS,
    sizeCalculation: ({ nfts }) => nfts.length + 1,
    ttl: CACHE_TTL_MS,
  });
  /** Requests in flight, by tenant and list: a tenant never waits for the turn of another. */
  private readonly pending = new Map<string, Promise<DasAssetList | DasFailure>>();

  constructor(private readonly client: DasClient) {}

  /** What other requests of the tenant share goes on when the signal aborts. */
  async list(url: string, owner: string, request: DasRequest): Promise<DasAssetList | DasFailure> {
    const key = `${owner} ${url}`;
    const cached = this.lists.get(key);
    if (cached) return cached;
    const pendingKey = `${request.lane} ${request.tenantId} ${key}`;
    let pending = this.pending.get(pendingKey);
    if (!pending) {
      const shared = { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) };
      pending = this.readPages(url, owner, shared)
        .then((list) => {
          if (!('code' in list)) this.lists.set(key, list);
          return list;
        })
        .finally(() => this.pending.delete(pendingKey));
      this.pending.set(pendingKey, pending);
    }
    if (await hasFinishedWithin(TIMEOUT_MS, pending, request.signal)) return pending;
    return createDasFailure('indexer_unavailable', 'the indexer did not answer in time');
  }

  private async readPages(
    url: string,
    owner: string,
    request: DasRequest,
  ): Promise<DasAssetList | DasFailure> {
    const nfts = new Map<string, SolanaNft>();
    let listed = 0;
    for (let page = 1; listed <= MAX_LISTED_ASSETS; page += 1) {
      const answer = await this.client.fetchAssets(url, owner, page, request);
      if (answer === 'too_large') break;
      if ('code' in answer) return answer;
      const { assets, isLast } = answer;
      // An indexer that answers with assets of another owner is not believed.
      if (assets.some(({ ownership }) => ownership.owner !== owner))
        return createDasFailure('indexer_malformed_answer', 'the indexer answered with other assets');
      for (const asset of assets) if (isCounted(asset)) nfts.set(asset.id, toNft(asset));
      listed += assets.length;
      if (isLast && listed <= MAX_LISTED_ASSETS) return { nfts: [...nfts.values()], isComplete: true };
    }
    return { nfts: [...nfts.values()], isComplete: false };
  }
}

/** Tokens of the token programs are read from nodes. */
const isCounted = ({ burnt, compression, interface: kind }: DasAsset): boolean =>
  burnt !== true && (compression?.compressed === true || kind === 'MplCoreAsset');

function toNft({ id, grouping, creators, content }: DasAsset): SolanaNft {
  const collection = grouping?.find(
    ({ group_key: key, verified }) => key === 'collection' && verified !== false,
  )?.group_value;
  return {
    mint: id,
    collection: collection ?? undefined,
    creators: (creators ?? []).flatMap(({ address, verified }) => (verified === true ? [address] : [])),
    uri: content?.json_uri ?? undefined,
  };
}
