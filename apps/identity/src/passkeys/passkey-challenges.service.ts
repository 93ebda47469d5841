import { randomBytes, timingSafeEqual } from 'node:crypto';
import { MINUTE_MS } from '@app/common';
import { type Queryable, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CredentialHasher } from '../applications/credentials/credential-issuer.js';

export type ChallengePurpose = 'registration' | 'login';

const CHALLENGE_LIFETIME_MS = 5 * MINUTE_MS;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const HEAD_BYTES = NONCE_BYTES + TIME_BYTES;
const CHALLENGE_BYTES = HEAD_BYTES + 32;

/** Each insert deletes up to this many expired rows, so the table needs no sweeper. */
const MAX_SWEPT_ROWS = 10;

const INSERT_ANSWERED = `
  WITH swept AS (
    DELETE FROM identity.answered_passkey_challenges WHERE hash IN (
      SELECT hash FROM identity.answered_passkey_challenges WHERE expires_at < now() ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS}
      FOR UPDATE SKIP LOCKED)
  )
  INSERT INTO identity.answered_passkey_challenges (hash, expires_at)
  VALUES ($1, now() + make_interval(secs => ${(2 * CHALLENGE_LIFETIME_MS) / 1_000}))
  ON CONFLICT DO NOTHING RETURNING 1`;

/**
 * Challenges are a nonce, a time and a MAC over both, the purpose and the browser session, so that asking for one stores nothing.
 * Only answered challenges are stored, until no replica would accept them any more.
 */
@Injectable()
export class PasskeyChallengesService {
  constructor(private readonly hasher: CredentialHasher) {}

  create(purpose: ChallengePurpose, sessionId: string): Buffer {
    const head = Buffer.alloc(HEAD_BYTES);
    randomBytes(NONCE_BYTES).copy(head);
    head.writeUIntBE(Date.now(), NONCE_BYTES, TIME_BYTES);
    return Buffer.concat([head, this.sign(purpose, sessionId, head)]);
  }

  /** Whether this service made the challenge for the session and the purpose within the last five minutes. */
  isValid(purpose: ChallengePurpose, sessionId: string, text: string): boolean {
    const challenge = Buffer.from(text, 'base64url');
    if (challenge.length !== CHALLENGE_BYTES || challenge.toString('base64url') !== text) return false;
    const head = challenge.subarray(0, HEAD_BYTES);
    if (!timingSafeEqual(this.sign(purpose, sessionId, head), challenge.subarray(HEAD_BYTES))) return false;
    // Another replica's clock may be ahead.
    return Math.abs(Date.now() - head.readUIntBE(NONCE_BYTES, TIME_BYTES)) <= CHALLENGE_LIFETIME_MS;
  }

  /** The time at which a valid challenge was made, by the clock of the instance that made it. */
  timeOf(challenge: string): Date {
    return new Date(Buffer.from(challenge, 'base64url').readUIntBE(NONCE_BYTES, TIME_BYTES));
  }

  /** @returns false for a challenge that was answered before */
  async consume(db: Queryable, challenge: string): Promise<boolean> {
    const hash = this.hasher.hash(`answered passkey challenge ${challenge}`);
    return (await queryRows(db, INSERT_ANSWERED, [hash])).length > 0;
  }

  private sign(purpose: ChallengePurpose, sessionId: string, head: Buffer): Buffer {
    return this.hasher.hash(`passkey challenge ${purpose} ${sessionId} ${head.toString('base64url')}`);
  }
}
