import { hash } from 'node:crypto';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import {
  LOCK_USER_AND_READ_CLOCK,
  clockRow,
  INSERT_CHALLENGE,
  RESTORE_CHALLENGE,
  TAKE_CHALLENGE,
  takenChallengeRows,
  type TakenChallenge,
} from './link-challenge.queries.js';

/** contract.md section 4. */
const CHALLENGE_LIFETIME_MS = 10 * 60_000;

export interface ChallengeTimes {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Issued link messages, each valid for one attempt of its user. Stores only digests, so that a message that differs in one
 * byte is unknown and nothing is ever parsed.
 */
@Injectable()
export class LinkChallengeStore {
  constructor(private readonly database: Database) {}

  /** @param format creates the message from its times. @returns the message */
  issue(userId: string, format: (times: ChallengeTimes) => string): Promise<string> {
    return this.database.transaction(async (manager) => {
      const [{ now }] = clockRow.parse(await queryRows(manager, LOCK_USER_AND_READ_CLOCK, [userId]));
      const expiresAt = new Date(now.getTime() + CHALLENGE_LIFETIME_MS);
      const message = format({ issuedAt: now, expiresAt });
      await queryRows(manager, INSERT_CHALLENGE, [computeDigest(message), userId, expiresAt]);
      return message;
    });
  }

  /** Deletes the challenge before the signature is checked, so that a failed attempt uses it up, too. */
  async take(userId: string, message: string): Promise<TakenChallenge | undefined> {
    const [challenge] = takenChallengeRows.parse(
      await this.database.query(TAKE_CHALLENGE, [computeDigest(message), userId]),
    );
    return challenge;
  }

  /** Puts back a challenge whose signature could not be checked, with its original expiry. */
  async restore({ digest, userId, expiresAt }: TakenChallenge): Promise<void> {
    await this.database.query(RESTORE_CHALLENGE, [digest, userId, expiresAt]);
  }
}

const computeDigest = (message: string): string => hash('sha256', message, 'base64url');
