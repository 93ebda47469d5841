import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parseClientCredential } from '@app/auth';
import type { ClientCredential } from '@app/dto';
import { ServiceContext } from '@app/service';
import { ApiKeyCache, type ApiKeyLookupResult } from './api-key-cache.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { credentialsUnavailable } from './credentials.errors.js';

const hashApiKey = (apiKey: string): string => hash('sha256', apiKey, 'base64');

/** What this gateway knows of API keys: asked of identity once, then kept until the feed says otherwise. */
@Injectable()
export class ApiKeyService {
  private readonly cache = new ApiKeyCache();
  private readonly asking = new Map<string, Promise<ApiKeyLookupResult>>();

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
      if (!feed.isTrusted) throw new Error('identity does not answer');
    });
  }

  /** The client application of a key that was asked for before. */
  getCached(apiKey: string): ClientCredential | undefined {
    return this.fromCache(hashApiKey(apiKey)) ?? undefined;
  }

  /** Whether finding this key costs nothing, because somebody is already asking for it. */
  isLoading(apiKey: string): boolean {
    return this.asking.has(hashApiKey(apiKey));
  }

  /**
   * The client application of a key; null for a key that opens nothing.
   * @throws AppError 503 when identity cannot be asked
   */
  findClient(apiKey: string): ApiKeyLookupResult | Promise<ApiKeyLookupResult> {
    const digest = hashApiKey(apiKey);
    const known = this.fromCache(digest);
    if (known !== undefined) return known;
    if (!parseClientCredential('gth', apiKey)) return null;
    return this.askOnce(digest, apiKey);
  }

  private fromCache(digest: string): ApiKeyLookupResult | undefined {
    return this.feed.isTrusted ? this.cache.get(digest) : undefined;
  }

  private askOnce(digest: string, apiKey: string): Promise<ApiKeyLookupResult> {
    let answer = this.asking.get(digest);
    if (!answer) {
      answer = this.ask(digest, apiKey).finally(() => this.asking.delete(digest));
      this.asking.set(digest, answer);
    }
    return answer;
  }

  private async ask(digest: string, apiKey: string): Promise<ApiKeyLookupResult> {
    const { asOf, credential } = await this.identity.loadCredential(apiKey).catch((error: unknown) => {
      throw credentialsUnavailable(error);
    });
    // Read before a change that the feed has already told of: true enough for this request, too old to keep.
    if (asOf >= this.feed.lastSequence) this.cache.set(digest, credential);
    return credential;
  }
}
