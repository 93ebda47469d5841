import { createHmac, randomBytes } from 'node:crypto';
import { AppError, boundEntries, MINUTE_MS } from '@app/common';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MAX_AGE_FOR_SIGNING_MS, MAX_CACHED_TOKENS, REFUSAL_KEPT_MS } from './platform-http-client.js';
import { PlatformClient } from './platform-client.js';
import type { PlatformToken, PlatformTokenRequest, PlatformUser } from './platform-user.js';
import { platformTokenInvalid } from './platforms.errors.js';

/** How old an answer may be for reading addresses and receipts. */
const MAX_AGE_FOR_READING_MS = 5 * MINUTE_MS;

interface CachedUser {
  readonly user: PlatformUser;
  /** When the platform answered, as a reading of `performance.now()`. */
  readonly loadedAt: number;
}

/** Who the platforms say that tokens belong to. Answers are cached under a keyed hash of the token. */
@Injectable()
export class PlatformUsersService {
  private readonly cacheKey = randomBytes(32);
  private readonly users = new LRUCache<string, CachedUser>({
    ...boundEntries(MAX_CACHED_TOKENS),
    ttl: MAX_AGE_FOR_READING_MS,
  });
  /** Apart from users, so that wrong tokens evict none of them. */
  private readonly refusals = new LRUCache<string, true>({
    ...boundEntries(MAX_CACHED_TOKENS),
    ttl: REFUSAL_KEPT_MS,
  });
  private readonly requests = new Map<string, Promise<PlatformUser>>();

  constructor(private readonly client: PlatformClient) {}

  /** The user of a token, as the platform said in the last five minutes. @throws AppError 401, 429, 502, 503 */
  load(request: PlatformTokenRequest): Promise<PlatformUser> {
    return this.loadUser(request, MAX_AGE_FOR_READING_MS);
  }

  /** The user as the platform said in the last ten seconds. Whether the token may sign is another question. @throws like `load` */
  loadRecent(request: PlatformTokenRequest): Promise<PlatformUser> {
    return this.loadUser(request, MAX_AGE_FOR_SIGNING_MS);
  }

  private loadUser(request: PlatformTokenRequest, maxAgeMs: number): Promise<PlatformUser> {
    const key = this.hash(request);
    const cached = this.users.get(key);
    if (cached && performance.now() - cached.loadedAt < maxAgeMs) return Promise.resolve(cached.user);
    if (this.refusals.has(key)) return Promise.reject(platformTokenInvalid(request.platform));
    return this.requests.get(key) ?? this.startRequest(key, request);
  }

  private startRequest(key: string, request: PlatformTokenRequest): Promise<PlatformUser> {
    const user = this.request(key, request).finally(() => this.requests.delete(key));
    this.requests.set(key, user);
    return user;
  }

  private async request(key: string, request: PlatformTokenRequest): Promise<PlatformUser> {
    try {
      const user = { platform: request.platform, userId: await this.client.loadUserId(request) };
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
