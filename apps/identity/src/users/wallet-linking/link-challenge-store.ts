import { hash } from 'node:crypto';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CONTRACT_CHALLENGE_LIFETIME_MS } from '../../wallet-signatures/challenge-lifetimes.js';
import { lockUser } from '../users.queries.js';
import type { WalletOwner } from '../wallets/wallet-connections.queries.js';
import { toAccountOwner } from '../wallets/wallet-connections.service.js';
import type { NamedLink } from './link-message-query.decorator.js';
import { toAccountId } from './parse-link-account.js';
import {
  findChallenge,
  insertChallenge,
  type LinkChallenge,
  restoreChallenge,
  takeChallenge,
  type StoredChallenge,
} from './wallet-challenges.queries.js';

export interface ChallengeTimes {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The user whose wallet a challenge links, and the client application that requested it. */
interface ChallengeRequester extends WalletOwner {
  readonly clientId: string;
}

/** What a platform user is asked to sign. It is stored, because the user sees it on a page and names only its id. */
export interface LinkRequest {
  readonly requestId: string;
  readonly message: string;
}

/**
 * Issued link messages, each valid for one attempt of its user. Of a user who signs in only a digest is stored, so that a
 * message that differs in one byte is unknown and nothing is ever parsed.
 */
@Injectable()
export class LinkChallengeStore {
  constructor(private readonly database: Database) {}

  /** @param named the wallet that the message names. @param lifetimeMs how long it may be answered. @param format creates the message from its times. @returns the message */
  async issue(
    { userId, clientId }: { userId: string; clientId: string },
    named: NamedLink | undefined,
    lifetimeMs: number,
    format: (times: ChallengeTimes) => string,
  ): Promise<string> {
    const create = (times: ChallengeTimes) => ({ message: format(times), requestId: null });
    return (await this.insert({ ...toAccountOwner(userId), clientId }, create, lifetimeMs, named)).message;
  }

  /** Issues a message for a platform user. @param create creates it from its times */
  issueRequest<R extends LinkRequest>(
    requester: ChallengeRequester,
    create: (times: ChallengeTimes) => R,
  ): Promise<R & ChallengeTimes> {
    return this.insert(requester, create, CONTRACT_CHALLENGE_LIFETIME_MS);
  }

  /** A challenge of `issueRequest` that was not attempted yet. */
  findRequest(requestId: string): Promise<StoredChallenge | undefined> {
    return findChallenge(this.database, requestId);
  }

  /** Deletes the challenge before the signature is checked, so that a failed attempt uses it up, too. */
  take(userId: string, message: string): Promise<StoredChallenge | undefined> {
    return takeChallenge(this.database, computeDigest(message), userId);
  }

  /** Puts back a challenge whose signature could not be checked, with its original expiry. */
  restore(challenge: LinkChallenge): Promise<void> {
    return restoreChallenge(this.database, challenge);
  }

  private insert<R extends { message: string; requestId: string | null }>(
    { userId, communityId, clientId }: ChallengeRequester,
    create: (times: ChallengeTimes) => R,
    lifetimeMs: number,
    named?: NamedLink,
  ): Promise<R & ChallengeTimes> {
    return this.database.transaction(async (manager) => {
      const issuedAt = await lockUser(manager, userId);
      if (!issuedAt) throw new Error('A challenge is for a stored user');
      const times = { issuedAt, expiresAt: new Date(issuedAt.getTime() + lifetimeMs) };
      const created = create(times);
      const { message, requestId } = created;
      await insertChallenge(manager, {
        digest: computeDigest(message),
        userId,
        communityId,
        clientId,
        ...times,
        accountId: named ? toAccountId(named.account) : null,
        endsOtherLinks: named?.endsOtherLinks ?? false,
        requestId,
        request: requestId === null ? null : created,
      });
      return { ...created, ...times };
    });
  }
}

const computeDigest = (message: string): string => hash('sha256', message, 'base64url');
