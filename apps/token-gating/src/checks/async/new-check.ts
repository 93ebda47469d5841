import { createHash } from 'node:crypto';
import type { Requester } from '../../subjects/requester.js';
import type { StoredRequest } from './async-check.js';

/** A check to accept. */
export interface NewCheck {
  /** UUID; the caller polls with it. */
  id: string;
  clientId: string;
  /** Decides, when the check runs, whether the wallets of a user may be checked. */
  requester: Requester;
  request: StoredRequest;
  callbackUrl: string | undefined;
  /** Whether the result is published to the results queue. */
  reply: boolean;
  idempotencyKey: string | undefined;
}

/** SHA-256 digest that identifies the request of an idempotency key. */
export const hashRequest = ({ request, callbackUrl }: Pick<NewCheck, 'request' | 'callbackUrl'>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([request, callbackUrl]))
    .digest();
