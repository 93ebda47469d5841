import { boundEntries, HOUR_MS, MINUTE_MS } from '@app/common';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isPublishableId, parseClientCredential } from '@app/auth';
import type { ClientCredential } from '@app/dto';
import { ServiceContext } from '@app/service';
import { credentialsUnavailable } from './credentials.errors.js';
import { IdentityClient } from './identity-client.js';
import { KeyUses, toHourMs } from './key-uses.js';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { SingleFlight } from './single-flight.js';

/** `null` for an API key or publishable id that identity does not know. */
type ApiKeyLookupResult = ClientCredential | null;

const MAX_KNOWN_KEYS = 100_000;
const MAX_UNKNOWN_KEYS = 20_000;
const UNKNOWN_TTL_MS = MINUTE_MS;

/** What the cache keeps of a key, so that each request compares numbers only. */
interface KnownKey {
  readonly credential: ClientCredential;
  /** Infinity for a key without an end. */
  readonly expiresAtMs: number;
  /** The last hour in which the use of the key was noted. */
  notedHourMs: number;
}

/** Caches look-ups of API keys by their digest, so that it holds no usable keys. */
class ApiKeyCache {
  private readonly known = new LRUCache<string, KnownKey>({
    ...boundEntries(MAX_KNOWN_KEYS),
    dispose: ({ credential: { clientId } }, digest) => {
      this.deleteDigest(clientId, digest);
    },
  });
  /** A cache of its own, so that made-up keys cannot evict known ones. */
  private readonly unknown = new LRUCache<string, true>({
    ...boundEntries(MAX_UNKNOWN_KEYS),
    ttl: UNKNOWN_TTL_MS,
  });
  private readonly digestsByClientId = new Map<string, Set<string>>();

  constructor(private readonly uses: KeyUses) {}

  get(digest: string): ApiKeyLookupResult | undefined {
    const key = this.known.get(digest);
    if (!key) return this.unknown.has(digest) ? null : undefined;
    const nowMs = Date.now();
    if (key.expiresAtMs <= nowMs) return null;
    if (nowMs - key.notedHourMs >= HOUR_MS) this.noteUse(key, toHourMs(nowMs));
    return key.credential;
  }

  /** A key without a place among the noted ones is noted with a later request. */
  private noteUse(key: KnownKey, hourMs: number): void {
    if (this.uses.note(key.credential, hourMs)) key.notedHourMs = hourMs;
  }

  set(digest: string, credential: ApiKeyLookupResult): void {
    if (credential === null) {
      this.unknown.set(digest, true);
      return;
    }
    const { expiresAt } = credential;
    const expiresAtMs = expiresAt === null ? Infinity : Date.parse(expiresAt);
    // The last use is told of API keys only.
    const isNoted = credential.origins === undefined;
    const key = { credential, expiresAtMs, notedHourMs: isNoted ? -Infinity : Infinity };
    this.known.set(digest, key);
    if (isNoted) this.noteUse(key, toHourMs(Date.now()));
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

/** Whether a text has the form and the checksum of an API key or a publishable id. */
const isWellFormed = (apiKey: string): boolean =>
  parseClientCredential(isPublishableId(apiKey) ? 'gthp' : 'gth', apiKey) !== undefined;

const hashApiKey = (apiKey: string): string => hash('sha256', apiKey, 'base64');

/** Looks up API keys and publishable ids at identity and caches the results until the revocation feed invalidates them. */
@Injectable()
export class ApiKeyService {
  /** Keys whose use KeyUseReporter has not reported. */
  readonly uses = new KeyUses();
  private readonly cache = new ApiKeyCache(this.uses);
  private readonly lookups = new SingleFlight<ApiKeyLookupResult>();

  constructor(
    private readonly identity: IdentityClient,
    private readonly feed: RevocationFeedSubscriber,
    { readiness }: ServiceContext,
  ) {
    feed.onChanges(({ truncated, clientIds }) => {
      if (truncated) this.cache.clear();
      for (const clientId of clientIds) this.cache.deleteClient(clientId);
    });
    readiness.addCheck('identity', () => {
      if (!feed.isTrusted) throw new Error('identity is unavailable');
    });
  }

  /** The client application of a cached key. */
  getCached(apiKey: string): ClientCredential | undefined {
    return this.lookUpCache(hashApiKey(apiKey)) ?? undefined;
  }

  /** Whether identity has to be asked for this key: it may be one, and nothing is cached about it. */
  isUnknown(apiKey: string): boolean {
    return this.lookUpCache(hashApiKey(apiKey)) === undefined && isWellFormed(apiKey);
  }

  /** Whether a concurrent request is already looking up this key. */
  isLoading(apiKey: string): boolean {
    return this.lookups.isPending(hashApiKey(apiKey));
  }

  /**
   * The client application of a key; null for an invalid key.
   * @throws AppError 503 when identity is unavailable
   */
  findClient(apiKey: string): ApiKeyLookupResult | Promise<ApiKeyLookupResult> {
    const digest = hashApiKey(apiKey);
    const cached = this.lookUpCache(digest);
    if (cached !== undefined) return cached;
    if (!isWellFormed(apiKey)) return null;
    return this.lookups.run(digest, () => this.load(digest, apiKey));
  }

  private lookUpCache(digest: string): ApiKeyLookupResult | undefined {
    return this.feed.isTrusted ? this.cache.get(digest) : undefined;
  }

  private async load(digest: string, apiKey: string): Promise<ApiKeyLookupResult> {
    const { asOf, credential } = await this.identity.loadCredential(apiKey).catch((error: unknown) => {
      throw credentialsUnavailable(error);
    });
    // A response older than the last applied change may be revoked already: it serves this request, but is not cached.
    if (asOf >= this.feed.lastSequence) this.cache.set(digest, credential);
    return credential;
  }
}
