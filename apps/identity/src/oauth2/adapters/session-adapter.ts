import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { AdapterPayload } from 'oidc-provider';
import { ModelAdapter } from './model-adapter.js';

const MAX_CACHED_SESSIONS = 10_000;
/** Short beside the life of a session. */
const MAX_EXPIRY_LAG_SECONDS = 600;

/**
 * Sessions. oidc-provider saves them with every request, to move their end; that is done once in a while, and whatever else
 * changes at once.
 */
export class SessionAdapter extends ModelAdapter {
  private readonly seen = new LRUCache<string, AdapterPayload>({ max: MAX_CACHED_SESSIONS });

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const stored = this.seen.get(id);
    if (stored && isSame(stored, payload)) return;
    this.seen.delete(id);
    await super.upsert(id, payload, expiresIn);
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await super.find(id);
    // A copy: oidc-provider changes what it is given in place.
    if (found) this.seen.set(id, structuredClone(found));
    else this.seen.delete(id);
    return found;
  }
}

function isSame({ exp: was = 0, ...before }: AdapterPayload, { exp = 0, ...now }: AdapterPayload): boolean {
  return exp - was < MAX_EXPIRY_LAG_SECONDS && isDeepStrictEqual(before, now);
}
