import { Module } from '@nestjs/common';
import { PublicUrlsConfig } from '../common/public-urls.config.js';
import { BrowserSessionStore } from './browser-session-store.js';
import { BrowserUserService } from './browser-user.service.js';
import { BrowserSessionConfig } from './browser-session.config.js';
import { SessionCookieService } from './session-cookie.service.js';

/** Who is signed in, in which browser. It knows neither the pages nor OAuth, which both ask it. */
@Module({
  providers: [
    PublicUrlsConfig,
    BrowserSessionConfig,
    SessionCookieService,
    BrowserSessionStore,
    BrowserUserService,
  ],
  exports: [SessionCookieService, BrowserSessionStore, BrowserUserService],
})
export class BrowserSessionsModule {}
