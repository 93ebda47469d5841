import {
  envCidrs,
  SafeHttpClient,
  SafeHttpError,
  type SafeHttpErrorKind,
  type TextResponse,
} from '@app/http';
import { MINUTE_MS } from '@app/common';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import { createPlatformBulkhead } from './platform-bulkhead.js';
import type { Platform } from './platform-user.js';
import { PlatformsConfig } from './platforms.config.js';
import { platformNotConfigured, platformResponseInvalid, platformUnavailable } from './platforms.errors.js';

/** How old an answer of a platform may be for signing, so that a revoked token stops signing. */
export const MAX_AGE_FOR_SIGNING_MS = 10_000;
export const REFUSAL_KEPT_MS = 30_000;
/** All tenants share each cache. What is evicted costs one request to the platform. */
export const MAX_CACHED_TOKENS = 20_000;

/** @returns undefined for text that is not JSON */
export function parsePlatformResponse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const TOO_MANY_REQUESTS = 429;
const FORBIDDEN = 403;
/** The body of a 403 says whether it is a limit. */
const LIMITS = { maxBytes: 64 * 1_024, timeoutMs: 5_000, bodyStatuses: [FORBIDDEN] };
const FIRST_SERVER_ERROR = 500;
/** The code host asks for a minute where its limit has no `Retry-After`. */
const LIMITED_MS = MINUTE_MS;

/** The platform has answered, with something that is no user. */
const UNUSABLE_KINDS: readonly SafeHttpErrorKind[] = ['bad_answer', 'too_large'];

interface PlatformRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. With it the request is a POST. */
  readonly body?: string;
}

/** Calls the platforms' APIs at the origins that the operator configures, which may be in a private network. */
@Injectable()
export class PlatformHttpClient implements OnApplicationShutdown {
  /** The chat platform's token is part of the URL. */
  private readonly http = new SafeHttpClient({
    allowedCidrs: envCidrs.parse('0.0.0.0/0,::/0'),
    cachesUrls: false,
  });
  private readonly origins: Readonly<Record<Platform, string | undefined>>;
  private readonly bulkheads = {
    chat: createPlatformBulkhead(),
    microblog: createPlatformBulkhead(),
    codehost: createPlatformBulkhead(),
  };

  constructor(config: PlatformsConfig) {
    this.origins = {
      chat: config.PLATFORM_CHAT_URL,
      microblog: config.PLATFORM_MICROBLOG_URL,
      codehost: config.PLATFORM_CODEHOST_URL,
    };
  }

  /** @throws AppError 503 `platform_not_configured` for a platform whose origin is not set */
  requireOrigin(platform: Platform): string {
    const origin = this.origins[platform];
    if (origin === undefined) throw platformNotConfigured(platform);
    return origin;
  }

  /**
   * Sends a request when it is the client application's turn.
   * @returns a response below 500 that is no rate limit
   * @throws AppError 429, 502, 503
   */
  async send(clientId: string, platform: Platform, request: PlatformRequest): Promise<TextResponse> {
    const origin = this.requireOrigin(platform);
    return this.bulkheads[platform].run(clientId, async () => {
      const response = await this.request(platform, origin, request);
      const { status, retryAfterMs } = response;
      if (isLimited(response) || status >= FIRST_SERVER_ERROR)
        throw platformUnavailable(platform, retryAfterMs ?? (status === FORBIDDEN ? LIMITED_MS : undefined));
      return response;
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async request(
    platform: Platform,
    origin: string,
    { path, headers, body }: PlatformRequest,
  ): Promise<TextResponse> {
    const url = origin + path;
    const sent = { accept: 'application/json', ...headers };
    try {
      if (body === undefined) return await this.http.getText(url, LIMITS, sent);
      return await this.http.postText(url, body, { 'content-type': 'application/json', ...sent }, LIMITS);
    } catch (error) {
      if (!(error instanceof SafeHttpError)) throw error;
      // Without its own causes, which may name the URL.
      const options = { cause: new Error(error.message) };
      if (UNUSABLE_KINDS.includes(error.kind)) throw platformResponseInvalid(platform, options);
      throw platformUnavailable(platform, undefined, options);
    }
  }
}

/** The messages of the code host's secondary limit, of its older name, and of its limit of wrong credentials. */
const LIMIT_MESSAGE = /secondary rate|rate limit|abuse detection|login attempts/i;
const answerWithMessage = z.object({ message: z.string() });

/**
 * A limit, which says nothing about the token. The code host's primary limit is 403 with `x-ratelimit-remaining: 0`, its secondary one 403
 * with `Retry-After` or with nothing but a message (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api). A
 * platform says in JSON what is wrong with a token; a 403 in another form is of a proxy or a firewall before the platform.
 */
function isLimited({ status, retryAfterMs, isRateLimited, text }: TextResponse): boolean {
  if (status === TOO_MANY_REQUESTS) return true;
  if (status !== FORBIDDEN) return false;
  if (retryAfterMs !== undefined || isRateLimited === true) return true;
  const answer = parsePlatformResponse(text);
  if (typeof answer !== 'object' || answer === null) return true;
  const { data } = answerWithMessage.safeParse(answer);
  return data !== undefined && LIMIT_MESSAGE.test(data.message);
}
