import { loginMethods } from '@app/auth';
import { Database, type Queryable, queryRows } from '@app/database';
import { type UserPlatform, userPlatform } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { createSessionId, hashSessionId } from './session-cookie.service.js';
import { type SessionNotice, sessionNotice } from './session-notice.js';
import { BrowserSessionConfig } from './browser-session.config.js';

/** The user of a browser session. */
export interface SessionUser {
  userId: string;
  /** The wallet that signed in, CAIP-10; null for a login with a passkey. */
  account: string | null;
  /** What the user says of themselves, and what the user's id follows from; null for a user who is not stored. */
  name: string | null;
  username: string | null;
  platform: UserPlatform | null;
  platformUserId: string | null;
  /** How the user signed in (RFC 8176); null for a session of an earlier release, by wallet. */
  amr: string[] | null;
  signedInAt: Date;
  /** The authorization request that required the login; null for a login without one. */
  signedInFor: string | null;
}

/** Each insert deletes up to this many expired rows, so the table needs no sweeper. */
const MAX_SWEPT_ROWS = 10;

const seconds = `make_interval(secs => $2)`;

const INSERT_SESSION = `
  WITH swept AS (
    DELETE FROM identity.browser_sessions WHERE id_hash IN (
      SELECT id_hash FROM identity.browser_sessions WHERE expires_at < now() ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS}
      FOR UPDATE SKIP LOCKED)
  )
  INSERT INTO identity.browser_sessions (id_hash, user_id, account, signed_in_for, amr, passkey_id, signed_in_at, seen_at, expires_at)
  VALUES ($1, $3, $4, $5, $6, $7, now(), now(), now() + ${seconds})`;

const TOUCH_SESSION = `
  WITH session AS (
    UPDATE identity.browser_sessions SET seen_at = now()
    WHERE id_hash = $1 AND expires_at > now() AND seen_at > now() - ${seconds}
    RETURNING user_id, account, amr, signed_in_at, signed_in_for, CASE WHEN notice_expires_at > now() THEN notice END AS notice
  )
  SELECT user_id AS "userId", account, amr, signed_in_at AS "signedInAt", signed_in_for AS "signedInFor", notice,
    name, username, platform, platform_user_id AS "platformUserId"
  FROM session LEFT JOIN identity.users ON users.id = session.user_id`;

/** A page that nobody opens within this time is not the one to which the form has led. */
const NOTICE_SECONDS = 60;

const KEEP_NOTICE = `
  UPDATE identity.browser_sessions SET notice = $2, notice_expires_at = now() + make_interval(secs => ${NOTICE_SECONDS})
  WHERE id_hash = $1`;

/** A notice that was kept after the page was asked for stays for the next one. */
const DROP_NOTICE = `
  WITH dropped AS (
    UPDATE identity.browser_sessions SET notice = NULL, notice_expires_at = NULL WHERE id_hash = $1 AND notice = $2
    RETURNING 1
  )
  SELECT 1 FROM dropped`;

const LOCK_SESSION = `
  SELECT 1 FROM identity.browser_sessions WHERE id_hash = $1 AND expires_at > now() FOR SHARE`;

const DELETE_SESSIONS_OF_PASSKEY = 'DELETE FROM identity.browser_sessions WHERE passkey_id = $1';

const DELETE_OTHER_SESSIONS = 'DELETE FROM identity.browser_sessions WHERE user_id = $1 AND id_hash <> $2';

const DELETE_SESSION = 'DELETE FROM identity.browser_sessions WHERE id_hash = $1';

const sessionRows = z
  .array(
    z.object({
      userId: z.string(),
      account: z.string().nullable(),
      name: z.string().nullable(),
      username: z.string().nullable(),
      platform: userPlatform.nullable(),
      platformUserId: z.string().nullable(),
      amr: loginMethods.nullable(),
      signedInAt: z.date(),
      signedInFor: z.string().nullable(),
      // A notice of another release is no reason to end a session.
      notice: sessionNotice.nullable().catch(null),
    }),
  )
  .max(1);

/** Browser sessions in PostgreSQL. Lifetimes are compared with the database's clock. */
@Injectable()
export class BrowserSessionQueries {
  constructor(
    private readonly database: Database,
    private readonly config: BrowserSessionConfig,
  ) {}

  /**
   * @param passkeyId the passkey that signed in
   * @returns the session id. The table stores its hash only.
   */
  async create(
    user: Pick<SessionUser, 'userId' | 'account' | 'amr' | 'signedInFor'>,
    db: Queryable = this.database,
    passkeyId?: string,
  ): Promise<string> {
    const { userId, account, amr, signedInFor } = user;
    const id = createSessionId();
    const lifetime = this.config.BROWSER_SESSION_LIFETIME_MS / 1_000;
    const row = [hashSessionId(id), lifetime, userId, account, signedInFor, amr, passkeyId ?? null];
    await queryRows(db, INSERT_SESSION, row);
    return id;
  }

  /** Keeps the session from being ended until the transaction ends. @returns false if it was ended before */
  async lock(db: Queryable, id: string): Promise<boolean> {
    return (await queryRows(db, LOCK_SESSION, [hashSessionId(id)])).length > 0;
  }

  async destroyOfPasskey(db: Queryable, passkeyId: string): Promise<void> {
    await queryRows(db, DELETE_SESSIONS_OF_PASSKEY, [passkeyId]);
  }

  /** Ends all sessions of the user but one. */
  async destroyOthers(db: Queryable, userId: string, id: string): Promise<void> {
    await queryRows(db, DELETE_OTHER_SESSIONS, [userId, hashSessionId(id)]);
  }

  /** Restarts the idle timeout. Returns undefined for an unknown or expired session. */
  async touch(id: string): Promise<(SessionUser & { notice: SessionNotice | null }) | undefined> {
    const idle = this.config.BROWSER_SESSION_IDLE_MS / 1_000;
    const [session] = sessionRows.parse(await this.database.query(TOUCH_SESSION, [hashSessionId(id), idle]));
    return session;
  }

  /** Keeps what the next page says; a notice that no page has shown yet is replaced. */
  async keepNotice(id: string, notice: SessionNotice): Promise<void> {
    await this.database.query(KEEP_NOTICE, [hashSessionId(id), JSON.stringify(notice)]);
  }

  /** @returns whether this call dropped it; two pages that are loaded at once say a notice once */
  async dropNotice(id: string, notice: SessionNotice): Promise<boolean> {
    const dropped: unknown[] = await this.database.query(DROP_NOTICE, [
      hashSessionId(id),
      JSON.stringify(notice),
    ]);
    return dropped.length > 0;
  }

  async destroy(id: string): Promise<void> {
    await this.database.query(DELETE_SESSION, [hashSessionId(id)]);
  }
}
