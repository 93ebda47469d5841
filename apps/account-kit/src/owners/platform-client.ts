import { Injectable } from '@nestjs/common';
import { chatAdapter, codehostAdapter, microblogAdapter, type PlatformAdapter } from './platform-adapters.js';
import { isPlatformUserId } from './is-platform-user-id.js';
import { parsePlatformResponse, PlatformHttpClient } from './platform-http-client.js';
import type { Platform, PlatformTokenRequest } from './platform-user.js';
import { platformResponseInvalid, platformTokenInvalid } from './platforms.errors.js';

/** What platforms answer for tokens that are wrong, revoked or of another kind. */
const REFUSALS = [401, 403, 404];

const ADAPTERS: Readonly<Record<Platform, PlatformAdapter>> = {
  chat: chatAdapter,
  microblog: microblogAdapter,
  codehost: codehostAdapter,
};

/** Asks platforms whose token it is. */
@Injectable()
export class PlatformClient {
  constructor(private readonly http: PlatformHttpClient) {}

  /**
   * @returns the canonical id of the token's user
   * @throws AppError 401 `platform_token_invalid`, 429, 502 `platform_response_invalid`, 503 `platform_unavailable`,
   *   `platform_not_configured`
   */
  async loadUserId({ clientId, platform, token }: PlatformTokenRequest): Promise<string> {
    // The platform is checked before the token: a client whose platform is not configured shall not look for a mistake
    // in its token.
    this.http.requireOrigin(platform);
    const adapter = ADAPTERS[platform];
    if (!adapter.tokenPattern.test(token)) throw platformTokenInvalid(platform);
    const { status, text } = await this.http.send(clientId, platform, adapter.createRequest(token));
    if (REFUSALS.includes(status)) throw platformTokenInvalid(platform);
    const userId = adapter.findUserId(parsePlatformResponse(text));
    if (status !== 200 || !isPlatformUserId(userId)) throw platformResponseInvalid(platform);
    return userId;
  }
}
