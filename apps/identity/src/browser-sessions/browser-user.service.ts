import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { BrowserSessionQueries, type SessionUser } from './browser-sessions.queries.js';
import { SessionCookieService } from './session-cookie.service.js';

/** Resolves a request's session cookie to the signed-in user. */
@Injectable()
export class BrowserUserService {
  constructor(
    private readonly cookie: SessionCookieService,
    private readonly sessions: BrowserSessionQueries,
  ) {}

  /** Returns undefined without a live session. Restarts the session's idle timeout. */
  async findUser(request: Pick<IncomingMessage, 'headers'>): Promise<SessionUser | undefined> {
    const id = this.cookie.read(request);
    return id === undefined ? undefined : this.sessions.touch(id);
  }
}
