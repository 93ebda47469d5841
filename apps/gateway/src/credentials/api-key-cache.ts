import type { ClientCredential } from '@app/dto';
import { LRUCache } from 'lru-cache';

/** `null` stands for a key that identity does not know. */
export type ApiKeyLookupResult = ClientCredential | null;

const MAX_KNOWN_KEYS = 100_000;
const MAX_UNKNOWN_KEYS = 20_000;
const UNKNOWN_TTL_MS = 60_000;

/** What identity said about keys, by their digest: the keys themselves are not kept. */
export class ApiKeyCache {
  private readonly clients = new LRUCache<string, ClientCredential>({
    max: MAX_KNOWN_KEYS,
    dispose: ({ clientId }, digest) => {
      this.deleteDigest(clientId, digest);
    },
  });
  /** Of their own size, so that garbage cannot drive out what is in use. */
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN_KEYS, ttl: UNKNOWN_TTL_MS });
  private readonly byClient = new Map<string, Set<string>>();

  get(digest: string): ApiKeyLookupResult | undefined {
    const credential = this.clients.get(digest);
    if (credential) return hasExpired(credential) ? null : credential;
    return this.unknown.has(digest) ? null : undefined;
  }

  set(digest: string, known: ApiKeyLookupResult): void {
    if (known === null) {
      this.unknown.set(digest, true);
      return;
    }
    this.clients.set(digest, known);
    const digests = this.byClient.get(known.clientId) ?? new Set();
    this.byClient.set(known.clientId, digests.add(digest));
  }

  private deleteDigest(clientId: string, digest: string): void {
    const digests = this.byClient.get(clientId);
    digests?.delete(digest);
    if (digests?.size === 0) this.byClient.delete(clientId);
  }

  deleteClient(clientId: string): void {
    for (const digest of [...(this.byClient.get(clientId) ?? [])]) this.clients.delete(digest);
    this.byClient.delete(clientId);
  }

  clear(): void {
    this.clients.clear();
    this.unknown.clear();
    this.byClient.clear();
  }
}

const hasExpired = ({ expiresAt }: ClientCredential): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();
