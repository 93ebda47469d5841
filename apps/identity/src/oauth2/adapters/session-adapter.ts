import { isDeepStrictEqual } from 'node:util';
import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { AdapterPayload } from 'oidc-provider';
import { ModelAdapter } from './model-adapter.js';

const MAX_CACHED_SESSIONS = 10_000;
/** The stored expiry may lag behind by this much; a session lives for a day. */
const MAX_EXPIRY_LAG_SECONDS = 600;

/**
 * Sessions. oidc-provider saves them with every request to extend their expiry. An extension alone is written every ten
 * minutes at most, other changes immediately.
 */
export class SessionAdapter extends ModelAdapter {
  private readonly stored = new LRUCache<string, AdapterPayload>(boundEntries(MAX_CACHED_SESSIONS));

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const stored = this.stored.get(id);
    if (stored && isUpToDate(stored, payload)) return;
    this.stored.delete(id);
    await super.upsert(id, payload, expiresIn);
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await super.find(id);
    // Copied, because oidc-provider modifies payloads in place.
    if (found) this.stored.set(id, structuredClone(found));
    else this.stored.delete(id);
    return found;
  }
}

function isUpToDate(
  { exp: storedExp = 0, ...stored }: AdapterPayload,
  { exp = 0, ...current }: AdapterPayload,
): boolean {
  return exp - storedExp < MAX_EXPIRY_LAG_SECONDS && isDeepStrictEqual(stored, current);
}
