import { randomUUID } from 'node:crypto';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** A message that a wallet was asked to sign. */
export interface SignInChallenge {
  readonly namespace: 'eip155' | 'solana';
  readonly message: string;
  readonly expiresAt: Date;
}

/** More than one comes in with each: what nobody answered does not heap up. */
const SWEPT_AT_ONCE = 10;

const INSERT = `
  WITH swept AS (
    DELETE FROM identity.sign_in_challenges WHERE id IN (
      SELECT id FROM identity.sign_in_challenges WHERE expires_at <= now()
      ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO identity.sign_in_challenges (id, client_id, namespace, message, expires_at)
  VALUES ($1, $2, $3, $4, $5)`;

/** One statement: of many at once exactly one gets the row. */
const TAKE = `
  DELETE FROM identity.sign_in_challenges WHERE id = $1 AND client_id = $2
  RETURNING namespace, message, expires_at AS "expiresAt"`;

const taken = z
  .array(z.object({ namespace: z.enum(['eip155', 'solana']), message: z.string(), expiresAt: z.date() }))
  .max(1);

/** Challenges, each good for one attempt of the client application that asked for it. */
@Injectable()
export class SignInChallengeQueries {
  constructor(private readonly database: Database) {}

  /** @returns the id to answer it by */
  async insert(clientId: string, { namespace, message, expiresAt }: SignInChallenge): Promise<string> {
    const id = randomUUID();
    await this.database.query(INSERT, [id, clientId, namespace, message, expiresAt]);
    return id;
  }

  /** Takes it away before anything is checked, so that a failed attempt uses it up, too. */
  async consume(clientId: string, id: string): Promise<SignInChallenge | undefined> {
    const [challenge] = taken.parse(await this.database.query(TAKE, [id, clientId]));
    return challenge;
  }
}
