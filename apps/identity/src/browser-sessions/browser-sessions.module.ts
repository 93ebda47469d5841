import { Module } from '@nestjs/common';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { BrowserSessionQueries } from './browser-sessions.queries.js';
import { SessionCookieService } from './session-cookie.service.js';
import { BrowserUserService } from './browser-user.service.js';
import { BrowserSessionConfig } from './browser-session.config.js';

/** Browser sessions, used by the pages and by OAuth 2.0. Imports neither. */
@Module({
  providers: [
    PublicUrlsConfig,
    BrowserSessionConfig,
    SessionCookieService,
    BrowserSessionQueries,
    BrowserUserService,
  ],
  exports: [SessionCookieService, BrowserSessionQueries, BrowserUserService],
})
export class BrowserSessionsModule {}
