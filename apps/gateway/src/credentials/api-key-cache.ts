import type { ClientCredential } from '@app/dto';
import { MINUTE_MS, boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';

/** `null` for an API key that identity does not know. */
export type ApiKeyLookupResult = ClientCredential | null;

const MAX_KNOWN_KEYS = 100_000;
const MAX_UNKNOWN_KEYS = 20_000;
const UNKNOWN_TTL_MS = MINUTE_MS;

/** Caches look-ups of API keys by their digest, so that it holds no usable keys. */
export class ApiKeyCache {
  private readonly known = new LRUCache<string, ClientCredential>({
    ...boundEntries(MAX_KNOWN_KEYS),
    dispose: ({ clientId }, digest) => {
      this.deleteDigest(clientId, digest);
    },
  });
  /** A cache of its own, so that made-up keys cannot evict known ones. */
  private readonly unknown = new LRUCache<string, true>({
    ...boundEntries(MAX_UNKNOWN_KEYS),
    ttl: UNKNOWN_TTL_MS,
  });
  private readonly digestsByClientId = new Map<string, Set<string>>();

  get(digest: string): ApiKeyLookupResult | undefined {
    const credential = this.known.get(digest);
    if (credential) return hasExpired(credential) ? null : credential;
    return this.unknown.has(digest) ? null : undefined;
  }

  set(digest: string, credential: ApiKeyLookupResult): void {
    if (credential === null) {
      this.unknown.set(digest, true);
      return;
    }
    this.known.set(digest, credential);
    const digests = this.digestsByClientId.get(credential.clientId) ?? new Set();
    this.digestsByClientId.set(credential.clientId, digests.add(digest));
  }

  private deleteDigest(clientId: string, digest: string): void {
    const digests = this.digestsByClientId.get(clientId);
    digests?.delete(digest);
    if (digests?.size === 0) this.digestsByClientId.delete(clientId);
  }

  deleteClient(clientId: string): void {
    for (const digest of [...(this.digestsByClientId.get(clientId) ?? [])]) this.known.delete(digest);
    this.digestsByClientId.delete(clientId);
  }

  clear(): void {
    this.known.clear();
    this.unknown.clear();
    this.digestsByClientId.clear();
  }
}

const hasExpired = ({ expiresAt }: ClientCredential): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();
