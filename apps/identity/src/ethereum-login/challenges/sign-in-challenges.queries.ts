import { randomUUID } from 'node:crypto';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { EXPIRED_CHALLENGE_RETENTION } from '../../wallet-signatures/challenge-lifetimes.js';

/** A stored message for a wallet to sign. */
export interface SignInChallenge {
  readonly namespace: 'eip155' | 'solana';
  readonly message: string;
  readonly expiresAt: Date;
}

/** Each insert deletes up to this many expired rows, so the table needs no sweeper. */
const MAX_SWEPT_ROWS = 10;

const INSERT = `
  WITH swept AS (
    DELETE FROM identity.sign_in_challenges WHERE id IN (
      SELECT id FROM identity.sign_in_challenges WHERE expires_at <= now() - interval '${EXPIRED_CHALLENGE_RETENTION}'
      ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO identity.sign_in_challenges (id, client_id, namespace, message, expires_at)
  VALUES ($1, $2, $3, $4, $5)`;

/** A single statement, so that exactly one of several concurrent attempts gets the row. */
const CONSUME = `
  DELETE FROM identity.sign_in_challenges WHERE id = $1 AND client_id = $2
  RETURNING namespace, message, expires_at AS "expiresAt"`;

const challengeRows = z
  .array(z.object({ namespace: z.enum(['eip155', 'solana']), message: z.string(), expiresAt: z.date() }))
  .max(1);

/** Challenges, each valid for one attempt of the client application that requested it. */
@Injectable()
export class SignInChallengeQueries {
  constructor(private readonly database: Database) {}

  /** @returns the request id */
  async insert(clientId: string, { namespace, message, expiresAt }: SignInChallenge): Promise<string> {
    const id = randomUUID();
    await this.database.query(INSERT, [id, clientId, namespace, message, expiresAt]);
    return id;
  }

  /** Deletes and returns the challenge. A failed attempt consumes it, too. */
  async consume(clientId: string, id: string): Promise<SignInChallenge | undefined> {
    const [challenge] = challengeRows.parse(await this.database.query(CONSUME, [id, clientId]));
    return challenge;
  }
}
