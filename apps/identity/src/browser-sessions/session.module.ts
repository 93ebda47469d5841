import { Module } from '@nestjs/common';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { BrowserSessions } from './browser-sessions.js';
import { BrowserUser } from './browser-user.js';
import { SessionConfig } from './session.config.js';
import { SessionCookie } from './session-cookie.js';

/** Who is signed in, in which browser. It knows neither the pages nor OAuth, which both ask it. */
@Module({
  providers: [PublicUrlsConfig, SessionConfig, SessionCookie, BrowserSessions, BrowserUser],
  exports: [SessionCookie, BrowserSessions, BrowserUser],
})
export class SessionModule {}
