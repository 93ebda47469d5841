import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AppError, tooManyRequests } from '@app/common';
import { AnsweredOtherwise } from '@app/service';
import { LRUCache } from 'lru-cache';
import { IdentityClient } from './identity-client.js';
import { credentialsUnavailable } from './unavailable.js';

const MOST_REFUSED = 10_000;
const REFUSED_FOR_MS = 60_000;

/**
 * Signatures that no key made by itself: identity, which has the nodes, asks the account's contract. A refusal is kept for a
 * minute, so that a wrong signature is not a way to keep identity busy; what was found good is kept where all tokens are.
 */
@Injectable()
export class ContractSignatures {
  private readonly refused = new LRUCache<string, true>({ max: MOST_REFUSED, ttl: REFUSED_FOR_MS });

  constructor(private readonly identity: IdentityClient) {}

  /** @throws AppError 503 when identity, or a node, cannot be asked, 429 when too much is being asked already */
  async isValid(message: string, signature: string): Promise<boolean> {
    const digest = hash('sha256', `${signature.toLowerCase()}.${message}`, 'base64');
    if (this.refused.has(digest)) return false;
    const { isValid } = await this.identity
      .ethereumCredential({ message, signature })
      .catch((error: unknown) => {
        throw notAsked(error);
      });
    if (!isValid) this.refused.set(digest, true);
    return isValid;
  }
}

function notAsked(error: unknown): AppError {
  if (!(error instanceof AnsweredOtherwise) || error.status !== 429) return credentialsUnavailable(error);
  const { retryAfter = 1 } = error;
  return tooManyRequests(
    'contract_check_limit',
    'Too many signatures of contract accounts are being checked. Try again in a moment.',
    { retryAfter },
    { cause: error },
  );
}
