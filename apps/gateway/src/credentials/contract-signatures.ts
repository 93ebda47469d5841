import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { IdentityClient } from './identity-client.js';
import { tokensUnavailable } from './token-key-ring.js';

const MOST_REFUSED = 10_000;
const REFUSED_FOR_MS = 60_000;

/**
 * Signatures that no key made by itself: identity, which has the nodes, asks the account's contract. A refusal is kept for a
 * minute, so that a wrong signature is not a way to keep the nodes busy; what was found good is kept where all tokens are.
 */
@Injectable()
export class ContractSignatures {
  private readonly refused = new LRUCache<string, true>({ max: MOST_REFUSED, ttl: REFUSED_FOR_MS });

  constructor(private readonly identity: IdentityClient) {}

  /** @throws AppError 503 when identity, or a node, cannot be asked */
  async isValid(message: string, signature: string): Promise<boolean> {
    const digest = hash('sha256', `${signature}.${message}`, 'base64');
    if (this.refused.has(digest)) return false;
    const { isValid } = await this.identity
      .ethereumCredential({ message, signature })
      .catch((error: unknown) => {
        throw tokensUnavailable(error);
      });
    if (!isValid) this.refused.set(digest, true);
    return isValid;
  }
}
