import { describe, expect, it } from '@jest/globals';
import { AppError, badRequest, serviceUnavailable } from '@app/common';
import type { Database } from '@app/database';
import type { BrowserSessionConfig } from '../../browser-sessions/browser-session.config.js';
import type { FormSubmissionQueries } from '../portal/form-submissions.queries.js';
import { OnceFormService } from './once-form.service.js';

/** Keeps submissions in memory, as the table does. */
function createForms(): OnceFormService {
  const rows = new Map<string, string | undefined>();
  const toKey = (idHash: Buffer): string => idHash.toString('hex');
  const submissions = {
    claim: (_: unknown, idHash: Buffer) => {
      if (rows.has(toKey(idHash))) return Promise.resolve(false);
      rows.set(toKey(idHash), undefined);
      return Promise.resolve(true);
    },
    findResult: (idHash: Buffer) => Promise.resolve(rows.get(toKey(idHash))),
    keepResult: (idHash: Buffer, path: string) => Promise.resolve(rows.set(toKey(idHash), path)),
    release: (idHash: Buffer) => Promise.resolve(rows.delete(toKey(idHash))),
  };
  const database = { transaction: (run: (manager: object) => Promise<unknown>) => run({}) };
  return new OnceFormService(
    submissions as unknown as FormSubmissionQueries,
    { BROWSER_SESSION_LIFETIME_MS: 1_000 } as BrowserSessionConfig,
    database as unknown as Database,
  );
}

const SESSION = { sessionId: 'session', csrf: 'csrf' };
const FORM = { path: '/portal/communities', token: 'token', fields: { name: 'One' } };
const unavailable = (cause?: unknown) => serviceUnavailable('communities_unavailable', 'Away', {}, { cause });

/** What each submission of a form leads to: a path, or the code of the error. */
async function submitAll(runs: (() => Promise<string>)[], forms = createForms()): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (const run of runs)
    outcomes.push(
      await forms
        .submit(SESSION, FORM, run)
        .catch((error: unknown) => (error instanceof AppError ? error.details['code'] : error)),
    );
  return outcomes;
}

const succeed = (path: string) => () => Promise.resolve(path);
const fail = (error: Error) => () => Promise.reject(error);

describe('OnceFormService', () => {
  it('submitted form: leads to the result of the first submission', async () => {
    expect(await submitAll([succeed('/first'), succeed('/second')])).toEqual(['/first', '/first']);
  });

  it('submitted form: is another one with something else in its fields', async () => {
    const forms = createForms();
    await forms.submit(SESSION, FORM, succeed('/first'));
    const other = { ...FORM, fields: { name: 'Two' } };
    expect(await forms.submit(SESSION, other, succeed('/second'))).toBe('/second');
  });

  it('submitted form: says that its outcome is unknown after a failure on the way, and runs no second time', async () => {
    const outcomes = await submitAll([fail(unavailable(new Error('time-out'))), succeed('/second')]);
    expect(outcomes).toEqual(['form_outcome_conflict', 'form_outcome_conflict']);
  });

  it.each([
    ['input_invalid', badRequest('input_invalid', 'No')],
    ['communities_unavailable', unavailable(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))],
  ])('submitted form: may be sent again after %s, which changed nothing', async (code, error) => {
    expect(await submitAll([fail(error), succeed('/second')])).toEqual([code, '/second']);
  });
});
