import { Module } from '@nestjs/common';
import { BrowserSessionsModule } from '../browser-sessions/browser-sessions.module.js';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { PasskeyChallengesService } from './passkey-challenges.service.js';
import { PasskeyController } from './passkey.controller.js';
import { PasskeyLoginsService } from './passkey-logins.service.js';
import { PasskeyReviewsService } from './passkey-reviews.service.js';
import { PasskeysService } from './passkeys.service.js';
import { ApplicationsModule } from '../applications/applications.module.js';

@Module({
  imports: [ApplicationsModule, BrowserSessionsModule],
  controllers: [PasskeyController],
  providers: [
    PublicUrlsConfig,
    PasskeyChallengesService,
    PasskeysService,
    PasskeyLoginsService,
    PasskeyReviewsService,
  ],
  exports: [PasskeysService, PasskeyLoginsService, PasskeyReviewsService],
})
export class PasskeysModule {}
