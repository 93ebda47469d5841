import { createHmac, randomBytes } from 'node:crypto';
import { AppError, boundEntries, MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { findCodehostApp } from './codehost-apps.queries.js';
import { SignerClient } from '../signer-client.js';
import type { CodehostSecret } from '../signer/signer-messages.js';
import {
  MAX_AGE_FOR_SIGNING_MS,
  MAX_CACHED_TOKENS,
  REFUSAL_KEPT_MS,
} from '../../owners/platform-http-client.js';
import type { PlatformTokenRequest } from '../../owners/platform-user.js';
import { platformResponseInvalid, platformTokenNotBound } from '../../owners/platforms.errors.js';
import { CodehostTokenClient } from './codehost-token-client.js';

/** How long a secret stays in memory after it was opened. */
const OPEN_SECRET_MS = MINUTE_MS;
const MAX_OPEN_SECRETS = 1_000;

/** Whether tokens of the code host were given to the OAuth application of a client application, as the code host says. */
@Injectable()
export class CodehostAudienceService {
  private readonly cacheKey = randomBytes(32);
  /** Ids of users whose tokens were given to the application. */
  private readonly userIds = new LRUCache<string, string>({
    ...boundEntries(MAX_CACHED_TOKENS),
    ttl: MAX_AGE_FOR_SIGNING_MS,
  });
  private readonly refusals = new LRUCache<string, AppError>({
    ...boundEntries(MAX_CACHED_TOKENS),
    ttl: REFUSAL_KEPT_MS,
  });
  private readonly requests = new Map<string, Promise<string>>();
  private readonly openSecrets = new LRUCache<string, CodehostSecret>({
    max: MAX_OPEN_SECRETS,
    ttl: OPEN_SECRET_MS,
    ttlAutopurge: true,
  });

  constructor(
    private readonly database: Database,
    private readonly signer: SignerClient,
    private readonly client: CodehostTokenClient,
  ) {}

  /**
   * Checks that this user gave the token to the client application, as the code host said in the last ten seconds.
   * @throws AppError 403 `platform_token_not_bound`, `platform_application_invalid`, 429, 502, 503
   */
  async check(request: PlatformTokenRequest, userId: string): Promise<void> {
    const app = await findCodehostApp(this.database, request.clientId);
    if (app === undefined) throw platformTokenNotBound('codehost');
    if ((await this.loadUserId(request, app.version)) !== userId) throw platformResponseInvalid('codehost');
  }

  private loadUserId(request: PlatformTokenRequest, version: string): Promise<string> {
    const key = this.hash(request.token, version);
    const userId = this.userIds.get(key);
    if (userId !== undefined) return Promise.resolve(userId);
    const refusal = this.refusals.get(key);
    if (refusal !== undefined) return Promise.reject(refusal);
    return this.requests.get(key) ?? this.startRequest(key, request, version);
  }

  private startRequest(key: string, request: PlatformTokenRequest, version: string): Promise<string> {
    const userId = this.request(key, request, version).finally(() => this.requests.delete(key));
    this.requests.set(key, userId);
    return userId;
  }

  private async request(
    key: string,
    { clientId, token }: PlatformTokenRequest,
    version: string,
  ): Promise<string> {
    const app = await this.openApp(clientId, version);
    try {
      const userId = await this.client.loadUserId(clientId, app, token);
      this.userIds.set(key, userId);
      return userId;
    } catch (error) {
      if (error instanceof AppError && error.statusCode === 403) this.refusals.set(key, error);
      throw error;
    }
  }

  private async openApp(clientId: string, version: string): Promise<CodehostSecret> {
    const open = this.openSecrets.get(version);
    if (open) return open;
    const app = await this.signer.openCodehostSecret(clientId);
    // Removed a moment ago.
    if (app === null) throw platformTokenNotBound('codehost');
    this.openSecrets.set(app.version, app);
    return app;
  }

  /** A version names the client application, and what an operator set for it: a change decides about the next request. */
  private hash(token: string, version: string): string {
    return createHmac('sha256', this.cacheKey).update(`${version} ${token}`).digest('base64');
  }
}
