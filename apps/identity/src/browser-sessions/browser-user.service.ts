import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { BrowserSessionStore } from './browser-session-store.js';
import { SessionCookieService } from './session-cookie.service.js';

/** Who is signed in in the browser that sends a request. */
@Injectable()
export class BrowserUserService {
  constructor(
    private readonly cookie: SessionCookieService,
    private readonly sessions: BrowserSessionStore,
  ) {}

  /** The user's id; undefined when nobody is, or nobody any more. It counts as something that the browser did. */
  async findUserId(request: Pick<IncomingMessage, 'headers'>): Promise<string | undefined> {
    const id = this.cookie.read(request);
    return id === undefined ? undefined : (await this.sessions.touch(id))?.userId;
  }
}
