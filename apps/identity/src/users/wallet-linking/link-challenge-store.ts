import { hash } from 'node:crypto';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { lockUser } from '../users.queries.js';
import type { NamedLink } from './link-message-query.decorator.js';
import { toAccountId } from './parse-link-account.js';
import {
  insertChallenge,
  type LinkChallenge,
  restoreChallenge,
  takeChallenge,
  type TakenChallenge,
} from './wallet-challenges.queries.js';

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

  /** @param named the wallet that the message names. @param format creates the message from its times. @returns the message */
  issue(
    userId: string,
    named: NamedLink | undefined,
    format: (times: ChallengeTimes) => string,
  ): Promise<string> {
    return this.database.transaction(async (manager) => {
      const now = await lockUser(manager, userId);
      if (!now) throw new Error('A challenge is for a stored user');
      const expiresAt = new Date(now.getTime() + CHALLENGE_LIFETIME_MS);
      const message = format({ issuedAt: now, expiresAt });
      await insertChallenge(manager, {
        digest: computeDigest(message),
        userId,
        expiresAt,
        accountId: named ? toAccountId(named.account) : null,
        endsOtherLinks: named?.endsOtherLinks ?? false,
      });
      return message;
    });
  }

  /** Deletes the challenge before the signature is checked, so that a failed attempt uses it up, too. */
  take(userId: string, message: string): Promise<TakenChallenge | undefined> {
    return takeChallenge(this.database, computeDigest(message), userId);
  }

  /** Puts back a challenge whose signature could not be checked, with its original expiry. */
  restore(challenge: LinkChallenge): Promise<void> {
    return restoreChallenge(this.database, challenge);
  }
}

const computeDigest = (message: string): string => hash('sha256', message, 'base64url');
