import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, conflict } from '@app/common';
import { Database } from '@app/database';
import { INTERNAL_TIMEOUT_MS } from '@app/service';
import { Injectable } from '@nestjs/common';
import { BrowserSessionConfig } from '../../browser-sessions/browser-session.config.js';
import { FormSubmissionQueries } from '../portal/form-submissions.queries.js';
import type { PageSession } from '../sessions/page-session.decorator.js';

const WAIT_STEP_MS = 100;
/** How long a repeated submission waits for the first one, which asks token-gating at most three times: to count, to create, to count back. */
const MAX_WAIT_MS = 3 * INTERNAL_TIMEOUT_MS + 10 * WAIT_STEP_MS;

const OUTCOME_UNKNOWN = 'form_outcome_conflict';

const outcomeUnknown = (cause?: unknown) =>
  conflict(
    OUTCOME_UNKNOWN,
    'This form was sent, and it is not known whether it was carried out. Look whether it was before you send it again.',
    {},
    { cause },
  );

export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof AppError && error.details['code'] === OUTCOME_UNKNOWN;

interface SubmittedForm {
  readonly path: string;
  /** The one-time token of the form. */
  readonly token: string;
  /** What was filled in: a form that is sent with something else, after going back to it, is another one. */
  readonly fields: object;
}

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
   * The result is kept as long as the form counts as sent.
   * @param run returns the path of the page with the result
   * @throws AppError of the operation where nothing was changed, so that the form may be sent again, and else 409 `form_outcome_conflict`
   */
  async submit(
    session: PageSession,
    { path, token, fields }: SubmittedForm,
    run: () => Promise<string>,
  ): Promise<string> {
    const sent = JSON.stringify([session.sessionId, path, token, fields]);
    const idHash = createHash('sha256').update(`once ${sent}`).digest();
    const lifetimeSeconds = this.config.BROWSER_SESSION_LIFETIME_MS / 1_000;
    const claim = () =>
      this.database.transaction((manager) => this.submissions.claim(manager, idHash, lifetimeSeconds));
    for (let waited = 0; waited < MAX_WAIT_MS; waited += WAIT_STEP_MS) {
      if (await claim()) return this.runClaimed(idHash, run, lifetimeSeconds);
      const result = await this.submissions.findResult(idHash);
      if (result !== undefined) return result;
      await wait(WAIT_STEP_MS);
    }
    throw outcomeUnknown();
  }

  private async runClaimed(
    idHash: Buffer,
    run: () => Promise<string>,
    lifetimeSeconds: number,
  ): Promise<string> {
    const result = await run().catch(async (error: unknown) => {
      if (!changedNothing(error)) throw outcomeUnknown(error);
      await this.submissions.release(idHash);
      throw error;
    });
    await this.submissions.keepResult(idHash, result, lifetimeSeconds);
    return result;
  }
}

/** Without a connection nothing was sent. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Whether an operation was refused, or not even sent. */
function changedNothing(error: unknown): boolean {
  if (error instanceof AppError && error.statusCode < 500) return true;
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && NOT_CONNECTED.includes(error.code)) return true;
  return error.cause !== undefined && changedNothing(error.cause);
}
