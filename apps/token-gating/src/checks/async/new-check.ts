import { createHash } from 'node:crypto';
import type { Requester } from '../../subjects/requester.js';
import type { StoredRequest } from './async-check.js';

/** A check that is to be accepted. */
export interface NewCheck {
  /** UUID, which the caller polls with. */
  id: string;
  clientId: string;
  /** Whose question it is: what the answer may tell of a user's wallets depends on it when the check runs, too. */
  requester: Requester;
  request: StoredRequest;
  callbackUrl: string | undefined;
  /** The result goes to the results queue too. */
  reply: boolean;
  idempotencyKey: string | undefined;
}

/** Tells whether two requests under one idempotency key are the same. */
export const hashRequest = ({ request, callbackUrl }: Pick<NewCheck, 'request' | 'callbackUrl'>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([request, callbackUrl]))
    .digest();
