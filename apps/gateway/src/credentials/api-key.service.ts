import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parseClientCredential } from '@app/auth';
import type { ClientCredential } from '@app/dto';
import { ServiceContext } from '@app/service';
import { ApiKeyCache, type ApiKeyLookupResult } from './api-key-cache.js';
import { credentialsUnavailable } from './credentials.errors.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { SingleFlight } from './single-flight.js';

const hashApiKey = (apiKey: string): string => hash('sha256', apiKey, 'base64');

/** Looks up API keys at identity and caches the results until the revocation feed invalidates them. */
@Injectable()
export class ApiKeyService {
  private readonly cache = new ApiKeyCache();
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
    if (!parseClientCredential('gth', apiKey)) return null;
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
