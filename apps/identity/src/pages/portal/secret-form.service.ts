import { ServiceContext, Sweeper } from '@app/service';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { decryptAesGcm, encryptAesGcm } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  FormRepeatedError,
  type FormSubmission,
  type IssuedSecrets,
} from '../../applications/credentials/form-submission.js';
import { BrowserSessionConfig } from '../../browser-sessions/browser-session.config.js';
import type { PageSession } from '../sessions/page-session.decorator.js';
import { FormSubmissionQueries } from './form-submissions.queries.js';

const SWEEP_INTERVAL_MS = 10_000;

/** Deletes expired form submissions, and secrets that no page has shown in time. */
@Injectable()
export class FormSubmissionSweeper extends Sweeper {
  constructor(context: ServiceContext, submissions: FormSubmissionQueries) {
    const tasks = [
      { name: 'delete expired form submissions', sweep: () => submissions.deleteExpired() },
      { name: 'delete secrets that were not shown', sweep: () => submissions.forgetUnshown() },
    ];
    super(context, tasks, SWEEP_INTERVAL_MS);
  }
}

/** How long the page with new secrets can be requested. */
const SECRETS_LIFETIME_SECONDS = 600;
const SEAL_CONTEXT = 'secrets of a submitted form';

/** A reference of a submitted form. It is useless without the session that submitted it. */
const toReference = (path: string, token: string): string =>
  createHash('sha256').update(`${path} ${token}`).digest('base64url');

const toIdHash = ({ sessionId }: PageSession, reference: string): Buffer =>
  createHash('sha256').update(`${sessionId} ${reference}`).digest();

/** The database has only hashes of session ids, so that a copy of it cannot decrypt the secrets. */
const toSealKey = ({ sessionId }: PageSession, reference: string): Buffer =>
  createHmac('sha256', sessionId).update(`${SEAL_CONTEXT} ${reference}`).digest();

/** Forms that issue credentials: each counts once, and its credentials are shown once, on the next page of the same session. */
@Injectable()
export class SecretFormService {
  constructor(
    private readonly submissions: FormSubmissionQueries,
    private readonly config: BrowserSessionConfig,
    private readonly database: Database,
  ) {}

  /**
   * Runs the write of a form unless it was done before.
   * @param token the one-time token of the form
   * @returns the path of the page with the new credentials
   */
  async submit(
    session: PageSession,
    path: string,
    token: string,
    write: (submission: FormSubmission) => Promise<unknown>,
  ): Promise<string> {
    const reference = toReference(path, token);
    try {
      await write(this.createSubmission(session, reference));
    } catch (error) {
      if (!(error instanceof FormRepeatedError)) throw error;
    }
    return `/portal/secrets/${reference}`;
  }

  /**
   * Keeps what another app has issued, for a form that OnceFormService runs once: it keeps the path.
   * @returns the path of the page with the new credentials
   */
  async keep(session: PageSession, secrets: IssuedSecrets): Promise<string> {
    const reference = randomBytes(32).toString('base64url');
    const submission = this.createSubmission(session, reference);
    await this.database.transaction(async (manager) => {
      await submission.claim(manager);
      await submission.keep(manager, secrets);
    });
    return `/portal/secrets/${reference}`;
  }

  /** Returns the credentials of a submitted form and removes them. Undefined if they were shown before or have expired. */
  async take(session: PageSession, reference: string): Promise<IssuedSecrets | undefined> {
    const sealed = await this.submissions.take(toIdHash(session, reference));
    const plain = sealed && decryptAesGcm(toSealKey(session, reference), sealed, SEAL_CONTEXT);
    return plain && (JSON.parse(plain.toString()) as IssuedSecrets);
  }

  private createSubmission(session: PageSession, reference: string): FormSubmission {
    const idHash = toIdHash(session, reference);
    const lifetimeSeconds = this.config.BROWSER_SESSION_LIFETIME_MS / 1_000;
    return {
      claim: async (manager: EntityManager) => {
        if (!(await this.submissions.claim(manager, idHash, lifetimeSeconds))) throw new FormRepeatedError();
      },
      keep: async (manager: EntityManager, secrets: IssuedSecrets) => {
        const plain = Buffer.from(JSON.stringify(secrets));
        const sealed = encryptAesGcm(toSealKey(session, reference), plain, SEAL_CONTEXT);
        await this.submissions.keep(manager, idHash, sealed, SECRETS_LIFETIME_SECONDS);
      },
    };
  }
}
