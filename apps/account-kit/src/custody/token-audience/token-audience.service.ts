import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { PlatformTokenRequest, PlatformUser } from '../../owners/platform-user.js';
import { PlatformUsersService } from '../../owners/platform-users.service.js';
import { PlatformsConfig } from '../../owners/platforms.config.js';
import { platformTokenNotBound } from '../../owners/platforms.errors.js';
import { findApplicationPlatforms } from './application-platforms.queries.js';
import { CodehostAudienceService } from './codehost-audience.service.js';

/** Whether a token was given to the client application that presents it. Only then an account signs for its user. */
@Injectable()
export class TokenAudienceService {
  constructor(
    private readonly users: PlatformUsersService,
    private readonly codehost: CodehostAudienceService,
    private readonly config: PlatformsConfig,
    private readonly database: Database,
  ) {}

  /**
   * The user of a token with which an account may sign, as the platform said in the last ten seconds.
   * @throws AppError 403 `platform_token_not_bound` if the token may have been given to another application; 401, 429, 502, 503
   */
  async loadForSigning(request: PlatformTokenRequest): Promise<PlatformUser> {
    const user = await this.users.loadRecent(request);
    await this.check(request, user);
    return user;
  }

  private async check(request: PlatformTokenRequest, { platform, userId }: PlatformUser): Promise<void> {
    if (this.config.ACCEPT_UNBOUND_TOKENS) return;
    const { clientId } = request;
    const { botIds, acceptsUnboundTokens } = await findApplicationPlatforms(this.database, clientId);
    if (acceptsUnboundTokens || (platform === 'chat' && botIds.includes(userId))) return;
    if (platform !== 'codehost') throw platformTokenNotBound(platform);
    await this.codehost.check(request, userId);
  }
}
