import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { BrowserSessions } from './browser-sessions.js';
import { SessionCookie } from './session-cookie.js';

/** Who is signed in in the browser that sends a request. */
@Injectable()
export class BrowserUser {
  constructor(
    private readonly cookie: SessionCookie,
    private readonly sessions: BrowserSessions,
  ) {}

  /** The user's id; undefined when nobody is, or nobody any more. It counts as something that the browser did. */
  async of(request: Pick<IncomingMessage, 'headers'>): Promise<string | undefined> {
    const id = this.cookie.read(request);
    return id === undefined ? undefined : (await this.sessions.see(id))?.userId;
  }
}
