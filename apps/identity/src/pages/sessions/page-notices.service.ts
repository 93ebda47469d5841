import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { BrowserSessionQueries } from '../../browser-sessions/browser-sessions.queries.js';
import type { SessionNotice } from '../../browser-sessions/session-notice.js';
import type { NextPage } from '../views/page-views.js';
import type { PageSession } from './page-session.decorator.js';

/** What was done, in a sentence, and the pages on which a person goes on. */
export interface DoneNotice extends Pick<SessionNotice, 'text' | 'name'> {
  readonly next?: readonly NextPage[];
}

/** Ends forms with a page that says what was done: once, so that a reload and a return to the page do not repeat it. */
@Injectable()
export class PageNoticesService {
  constructor(
    private readonly sessions: BrowserSessionQueries,
    private readonly context: ServiceContext,
  ) {}

  /** Leads to a page of this site. What the form asked for is done: that nobody can be told so makes it no failure. */
  async lead(response: Response, session: PageSession, path: string, notice: DoneNotice): Promise<void> {
    await this.keep(session, path, notice);
    response.redirect(303, path);
  }

  /** Has a page of this site say what was done when it is shown next. Failures are logged. */
  async keep({ sessionId }: PageSession, path: string, { text, name, next = [] }: DoneNotice): Promise<void> {
    try {
      await this.sessions.keepNotice(sessionId, { path, text, name, next: [...next] });
    } catch (err) {
      this.context.logger.warn({ err }, 'a notice could not be kept');
    }
  }
}
