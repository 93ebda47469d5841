import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { newSessionId, sessionIdHash } from './session-id.js';
import { SessionConfig } from './session.config.js';
import type { SignedIn } from './signed-in.js';

/** Expired rows that go with each new one: the table stays as long as there are sessions. */
const SWEPT = 10;

const seconds = `make_interval(secs => $2)`;

const BEGIN = `
  WITH swept AS (
    DELETE FROM identity.browser_sessions WHERE id_hash IN (
      SELECT id_hash FROM identity.browser_sessions WHERE expires_at < now() ORDER BY expires_at LIMIT ${SWEPT}
      FOR UPDATE SKIP LOCKED)
  )
  INSERT INTO identity.browser_sessions (id_hash, user_id, account, signed_in_for, signed_in_at, seen_at, expires_at)
  VALUES ($1, $3, $4, $5, now(), now(), now() + ${seconds})`;

const SEE = `
  UPDATE identity.browser_sessions SET seen_at = now()
  WHERE id_hash = $1 AND expires_at > now() AND seen_at > now() - ${seconds}
  RETURNING user_id AS "userId", account, signed_in_at AS "signedInAt", signed_in_for AS "signedInFor"`;

const END = 'DELETE FROM identity.browser_sessions WHERE id_hash = $1';

const signedIn = z
  .array(
    z.object({
      userId: z.string(),
      account: z.string(),
      signedInAt: z.date(),
      signedInFor: z.string().nullable(),
    }),
  )
  .max(1);

/** Who is signed in, in which browser. All times are the database's. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly database: Database,
    private readonly config: SessionConfig,
  ) {}

  /** @returns the new session's id, which only the browser keeps */
  async begin({ userId, account, signedInFor }: Omit<SignedIn, 'signedInAt'>): Promise<string> {
    const id = newSessionId();
    const lifetime = this.config.BROWSER_SESSION_LIFETIME_MS / 1_000;
    await this.database.query(BEGIN, [sessionIdHash(id), lifetime, userId, account, signedInFor]);
    return id;
  }

  /** Who is signed in; undefined when nobody is, or nobody any more. */
  async see(id: string): Promise<SignedIn | undefined> {
    const idle = this.config.BROWSER_SESSION_IDLE_MS / 1_000;
    const [found] = signedIn.parse(await this.database.query(SEE, [sessionIdHash(id), idle]));
    return found;
  }

  async end(id: string): Promise<void> {
    await this.database.query(END, [sessionIdHash(id)]);
  }
}
