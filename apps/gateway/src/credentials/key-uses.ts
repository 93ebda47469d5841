import { HOUR_MS } from '@app/common';
import { type ClientCredential, MAX_REPORTED_KEYS } from '@app/dto';
import { Bulkhead } from '@app/limits';

/** A batch of keys that were used in the same hour. */
export interface ReportedKeys {
  readonly keyIds: string[];
  /** The beginning of the hour, in Unix milliseconds. */
  readonly hourMs: number;
}

/** Keys that wait for the next report. One takes some 200 bytes. */
const MAX_NOTED_KEYS = 10_000;
/** Ten tenants with more keys than any plan but an individual one allows fill all places between two reports. */
const MAX_NOTED_KEYS_OF_TENANT = 1_000;

/**
 * API keys that were used since the last report, each once an hour. All tenants share the places, and a tenant has a tenth of them, so that
 * a tenant with many keys delays the times of its own keys only: a key without a place is noted with a later request. Keys that identity
 * does not know take no place.
 */
export class KeyUses {
  private readonly places = new Bulkhead({ max: MAX_NOTED_KEYS, maxPerKey: MAX_NOTED_KEYS_OF_TENANT });
  private readonly noted = new Map<string, { ownerId: string; hourMs: number }>();

  /** @returns false where no place is left */
  note({ keyId, ownerId }: Pick<ClientCredential, 'keyId' | 'ownerId'>, hourMs: number): boolean {
    if (!this.noted.has(keyId)) {
      if (!this.places.hasRoom(ownerId)) return false;
      this.places.acquire(ownerId);
    }
    this.noted.set(keyId, { ownerId, hourMs });
    return true;
  }

  /** The keys to report next, the first ones first. Undefined without any. */
  peek(): ReportedKeys | undefined {
    const [first] = this.noted.values();
    if (!first) return undefined;
    const { hourMs } = first;
    const keyIds: string[] = [];
    for (const [keyId, use] of this.noted) {
      if (keyIds.length === MAX_REPORTED_KEYS) break;
      if (use.hourMs === hourMs) keyIds.push(keyId);
    }
    return { keyIds, hourMs };
  }

  /** Frees the places of keys that were reported, but for those that were used in a later hour meanwhile. */
  remove({ keyIds, hourMs }: ReportedKeys): void {
    for (const keyId of keyIds) {
      const use = this.noted.get(keyId);
      if (use?.hourMs !== hourMs) continue;
      this.noted.delete(keyId);
      this.places.release(use.ownerId);
    }
  }
}

export const toHourMs = (timeMs: number): number => timeMs - (timeMs % HOUR_MS);
