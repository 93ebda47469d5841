import { hash } from 'node:crypto';
import { Database, rowsOf } from '@app/database';
import { Injectable } from '@nestjs/common';
import {
  BEGIN,
  begun,
  INSERT,
  PUT_BACK,
  TAKE,
  taken,
  type TakenChallenge,
} from './link-challenge-statements.js';

/** contract.md section 4. */
const LIFE_MS = 10 * 60_000;

export interface ChallengeTimes {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Messages that users were given to sign, each good for one attempt of its user. Only digests are kept: a message that is not
 * one of ours to the byte is unknown, and nobody has to read one.
 */
@Injectable()
export class LinkChallenges {
  constructor(private readonly database: Database) {}

  /** @param write the message. @returns it */
  issue(userId: string, write: (times: ChallengeTimes) => string): Promise<string> {
    return this.database.transaction(async (manager) => {
      const [{ now }] = begun.parse(await rowsOf(manager, BEGIN, [userId]));
      const expiresAt = new Date(now.getTime() + LIFE_MS);
      const message = write({ issuedAt: now, expiresAt });
      await rowsOf(manager, INSERT, [digestOf(message), userId, expiresAt]);
      return message;
    });
  }

  /** Takes it away before anything is checked, so that a failed attempt uses it up, too. */
  async take(userId: string, message: string): Promise<TakenChallenge | undefined> {
    const [challenge] = taken.parse(await this.database.query(TAKE, [digestOf(message), userId]));
    return challenge;
  }

  /** For an attempt of which nobody knows whether it was good or bad. It lives no longer than it would have. */
  async putBack({ digest, userId, expiresAt }: TakenChallenge): Promise<void> {
    await this.database.query(PUT_BACK, [digest, userId, expiresAt]);
  }
}

const digestOf = (message: string): string => hash('sha256', message, 'base64url');
