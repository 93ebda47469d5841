import { createHmac, randomBytes } from 'node:crypto';
import { AppError } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { findApplicationPlatforms } from './application-platforms.queries.js';
import { PlatformClient } from './platform-client.js';
import { PlatformTurns } from './platform-turns.js';
import type { Platform, PlatformUser } from './platform-user.js';
import { PlatformsConfig } from './platforms.config.js';
import { platformTokenInvalid, platformTokenNotBound } from './platforms.errors.js';

const SECOND_MS = 1_000;
/** How old an answer may be for reading addresses and receipts. */
const MAX_AGE_FOR_READING_MS = 300 * SECOND_MS;
/** How old it may be for signing, so that a revoked token stops signing. */
const MAX_AGE_FOR_SIGNING_MS = 10 * SECOND_MS;
const REFUSAL_KEPT_MS = 30 * SECOND_MS;
/** All tenants share the caches. What is evicted costs one request to the platform. */
const MAX_CACHED_TOKENS = 20_000;

/** A token of a bot or a user at a platform. It is neither stored nor logged. */
export interface PlatformToken {
  readonly platform: Platform;
  readonly token: string;
}

export interface PlatformTokenRequest extends PlatformToken {
  /** The client application that presents the token. */
  readonly clientId: string;
}

interface CachedUser {
  readonly user: PlatformUser;
  /** By `performance.now()`. */
  readonly loadedAt: number;
}

/** Who the platforms say that tokens belong to. Answers are cached under a keyed hash of the token. */
@Injectable()
export class PlatformUsersService {
  private readonly cacheKey = randomBytes(32);
  private readonly users = new LRUCache<string, CachedUser>({
    max: MAX_CACHED_TOKENS,
    ttl: MAX_AGE_FOR_READING_MS,
  });
  /** Apart from users, so that wrong tokens evict none of them. */
  private readonly refusals = new LRUCache<string, true>({ max: MAX_CACHED_TOKENS, ttl: REFUSAL_KEPT_MS });
  private readonly requests = new Map<string, Promise<PlatformUser>>();
  private readonly turns = {
    chat: new PlatformTurns(),
    microblog: new PlatformTurns(),
    codehost: new PlatformTurns(),
  };

  constructor(
    private readonly client: PlatformClient,
    private readonly config: PlatformsConfig,
    private readonly database: Database,
  ) {}

  /** The user of a token, as the platform said in the last five minutes. @throws AppError 401, 429, 502, 503 */
  load(request: PlatformTokenRequest): Promise<PlatformUser> {
    return this.loadUser(request, MAX_AGE_FOR_READING_MS);
  }

  /**
   * The user of a token with which an account may sign, as the platform said in the last ten seconds.
   * @throws AppError 403 `platform_token_not_bound` if the token may have been given to another application; like `load`
   */
  async loadForSigning(request: PlatformTokenRequest): Promise<PlatformUser> {
    const user = await this.loadUser(request, MAX_AGE_FOR_SIGNING_MS);
    if (!(await this.isAccepted(user, request.clientId))) throw platformTokenNotBound(user.platform);
    return user;
  }

  private async isAccepted({ platform, userId }: PlatformUser, clientId: string): Promise<boolean> {
    if (this.config.ACCEPT_UNBOUND_TOKENS) return true;
    const { botIds, acceptsUnboundTokens } = await findApplicationPlatforms(this.database, clientId);
    return acceptsUnboundTokens || (platform === 'chat' && botIds.includes(userId));
  }

  private loadUser(request: PlatformTokenRequest, maxAgeMs: number): Promise<PlatformUser> {
    const key = this.hash(request);
    const cached = this.users.get(key);
    if (cached && performance.now() - cached.loadedAt < maxAgeMs) return Promise.resolve(cached.user);
    if (this.refusals.has(key)) return Promise.reject(platformTokenInvalid(request.platform));
    return this.requests.get(key) ?? this.startRequest(key, request);
  }

  private startRequest(key: string, request: PlatformTokenRequest): Promise<PlatformUser> {
    const { clientId, platform } = request;
    const user = this.turns[platform]
      .run(clientId, () => this.request(key, request))
      .finally(() => this.requests.delete(key));
    this.requests.set(key, user);
    return user;
  }

  private async request(key: string, { platform, token }: PlatformToken): Promise<PlatformUser> {
    try {
      const user = { platform, userId: await this.client.loadUserId(platform, token) };
      this.users.set(key, { user, loadedAt: performance.now() });
      return user;
    } catch (error) {
      if (error instanceof AppError && error.statusCode === 401) {
        this.users.delete(key);
        this.refusals.set(key, true);
      }
      throw error;
    }
  }

  /** A platform has no space in its name, so no two pairs have the same bytes. */
  private hash({ platform, token }: PlatformToken): string {
    return createHmac('sha256', this.cacheKey).update(`${platform} ${token}`).digest('base64');
  }
}
