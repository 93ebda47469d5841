import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { parseCredential } from '@app/auth';
import type { ClientCredential } from '@app/dto';
import { ServiceContext } from '@app/service';
import { CredentialCache, type Known } from './credential-cache.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeed } from './revocation-feed.js';
import { credentialsUnavailable } from './unavailable.js';

const digestOf = (apiKey: string): string => hash('sha256', apiKey, 'base64');

/** What this gateway knows of API keys: asked of identity once, then kept until the feed says otherwise. */
@Injectable()
export class CredentialStore {
  private readonly cache = new CredentialCache();
  private readonly asking = new Map<string, Promise<Known>>();

  constructor(
    private readonly identity: IdentityClient,
    private readonly feed: RevocationFeed,
    { readiness }: ServiceContext,
  ) {
    feed.onChanges(({ truncated, clientIds }) => {
      if (truncated) this.cache.clear();
      for (const clientId of clientIds) this.cache.forgetClient(clientId);
    });
    readiness.require('identity', () => {
      if (!feed.isTrusted) throw new Error('identity does not answer');
    });
  }

  /** The client application of a key that was asked for before. */
  recall(apiKey: string): ClientCredential | undefined {
    return this.fromCache(digestOf(apiKey)) ?? undefined;
  }

  /** Whether finding this key costs nothing, because somebody is already asking for it. */
  isAsking(apiKey: string): boolean {
    return this.asking.has(digestOf(apiKey));
  }

  /**
   * The client application of a key; null for a key that opens nothing.
   * @throws AppError 503 when identity cannot be asked
   */
  find(apiKey: string): Known | Promise<Known> {
    const digest = digestOf(apiKey);
    const known = this.fromCache(digest);
    if (known !== undefined) return known;
    if (!parseCredential('gth', apiKey)) return null;
    return this.askOnce(digest, apiKey);
  }

  private fromCache(digest: string): Known | undefined {
    return this.feed.isTrusted ? this.cache.get(digest) : undefined;
  }

  private askOnce(digest: string, apiKey: string): Promise<Known> {
    let answer = this.asking.get(digest);
    if (!answer) {
      answer = this.ask(digest, apiKey).finally(() => this.asking.delete(digest));
      this.asking.set(digest, answer);
    }
    return answer;
  }

  private async ask(digest: string, apiKey: string): Promise<Known> {
    const { asOf, credential } = await this.identity.credential(apiKey).catch((error: unknown) => {
      throw credentialsUnavailable(error);
    });
    // Read before a change that the feed has already told of: true enough for this request, too old to keep.
    if (asOf >= this.feed.last) this.cache.set(digest, credential);
    return credential;
  }
}
