import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, conflict } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { BrowserSessionConfig } from '../../browser-sessions/browser-session.config.js';
import { FormSubmissionQueries } from '../portal/form-submissions.queries.js';
import type { PageSession } from '../sessions/page-session.decorator.js';

/** How long a repeated submission waits for the first one, which waits for token-gating at most two seconds. */
const MAX_WAIT_MS = 3_000;
const WAIT_STEP_MS = 100;
/** How long a repeated submission leads to the result. */
const RESULT_LIFETIME_SECONDS = 600;

const outcomeUnknown = () =>
  conflict(
    'form_outcome_conflict',
    'This form was sent before, and it is not known whether it was carried out. Look at the page that it would have changed before you send it again.',
  );

/**
 * Runs the operation of a form once, however often the form is sent: a double click, a reload and a return to the page lead to the result of
 * the first submission. No database connection is held while the operation runs, so that an operation which hangs delays nobody else.
 */
@Injectable()
export class OnceFormService {
  constructor(
    private readonly submissions: FormSubmissionQueries,
    private readonly config: BrowserSessionConfig,
    private readonly database: Database,
  ) {}

  /**
   * @param token the one-time token of the form @param run returns the path of the page with its result
   * @throws AppError of the operation, after which the form may be sent again unless it is not known what happened
   */
  async submit(
    session: PageSession,
    path: string,
    token: string,
    run: () => Promise<string>,
  ): Promise<string> {
    const idHash = createHash('sha256').update(`once ${session.sessionId} ${path} ${token}`).digest();
    const lifetimeSeconds = this.config.BROWSER_SESSION_LIFETIME_MS / 1_000;
    const claim = () =>
      this.database.transaction((manager) => this.submissions.claim(manager, idHash, lifetimeSeconds));
    for (let waited = 0; waited < MAX_WAIT_MS; waited += WAIT_STEP_MS) {
      if (await claim()) return this.runClaimed(idHash, run);
      const result = await this.submissions.findResult(idHash);
      if (result !== undefined) return result;
      await wait(WAIT_STEP_MS);
    }
    throw outcomeUnknown();
  }

  private async runClaimed(idHash: Buffer, run: () => Promise<string>): Promise<string> {
    const result = await run().catch(async (error: unknown) => {
      if (isRefusal(error)) await this.submissions.release(idHash);
      throw error;
    });
    await this.submissions.keepResult(idHash, result, RESULT_LIFETIME_SECONDS);
    return result;
  }
}

/** A refused operation has changed nothing. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.statusCode < 500;
