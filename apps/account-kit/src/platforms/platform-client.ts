import {
  envCidrs,
  SafeHttpClient,
  SafeHttpError,
  type SafeHttpErrorKind,
  type TextResponse,
} from '@app/http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { chatAdapter } from './chat-adapter.js';
import { codehostAdapter } from './codehost-adapter.js';
import { isPlatformUserId } from './is-platform-user-id.js';
import { microblogAdapter } from './microblog-adapter.js';
import type { PlatformAdapter } from './platform-adapter.js';
import type { Platform } from './platform-user.js';
import { PlatformsConfig } from './platforms.config.js';
import { platformResponseInvalid, platformTokenInvalid, platformUnavailable } from './platforms.errors.js';

const LIMITS = { maxBytes: 64 * 1_024, timeoutMs: 5_000 };
/** What platforms answer for tokens that are wrong, revoked or of another kind. */
const REFUSALS = [401, 403, 404];
const TOO_MANY_REQUESTS = 429;
const FIRST_SERVER_ERROR = 500;

/** The platform has answered, with something that is no user. */
const UNUSABLE_KINDS: readonly SafeHttpErrorKind[] = ['bad_answer', 'too_large'];

const ADAPTERS: Readonly<Record<Platform, PlatformAdapter>> = {
  chat: chatAdapter,
  microblog: microblogAdapter,
  codehost: codehostAdapter,
};

/** Asks platforms whose token it is. Calls only origins that the operator configures, which may be in a private network. */
@Injectable()
export class PlatformClient implements OnApplicationShutdown {
  /** The chat platform's token is part of the URL. */
  private readonly http = new SafeHttpClient({
    allowedCidrs: envCidrs.parse('0.0.0.0/0,::/0'),
    cachesUrls: false,
  });
  private readonly origins: Readonly<Record<Platform, string | undefined>>;

  constructor(config: PlatformsConfig) {
    this.origins = {
      chat: config.PLATFORM_CHAT_URL,
      microblog: config.PLATFORM_MICROBLOG_URL,
      codehost: config.PLATFORM_CODEHOST_URL,
    };
  }

  /**
   * @returns the canonical id of the token's user
   * @throws AppError 401 `platform_token_invalid`, 502 `platform_response_invalid`, 503 `platform_unavailable`
   */
  async loadUserId(platform: Platform, token: string): Promise<string> {
    const adapter = ADAPTERS[platform];
    if (!adapter.tokenPattern.test(token)) throw platformTokenInvalid(platform);
    const { status, text, retryAfterMs } = await this.request(platform, adapter, token);
    if (REFUSALS.includes(status)) throw platformTokenInvalid(platform);
    if (status === TOO_MANY_REQUESTS || status >= FIRST_SERVER_ERROR)
      throw platformUnavailable(platform, retryAfterMs);
    const userId = adapter.findUserId(parseJson(text));
    if (status !== 200 || !isPlatformUserId(userId)) throw platformResponseInvalid(platform);
    return userId;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async request(platform: Platform, adapter: PlatformAdapter, token: string): Promise<TextResponse> {
    const origin = this.origins[platform];
    if (origin === undefined) throw platformTokenInvalid(platform);
    const { path, headers } = adapter.createRequest(token);
    try {
      return await this.http.getText(origin + path, LIMITS, { accept: 'application/json', ...headers });
    } catch (error) {
      if (!(error instanceof SafeHttpError)) throw error;
      // Without its own causes, which may name the URL.
      const options = { cause: new Error(error.message) };
      if (UNUSABLE_KINDS.includes(error.kind)) throw platformResponseInvalid(platform, options);
      throw platformUnavailable(platform, undefined, options);
    }
  }
}

/** Undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
