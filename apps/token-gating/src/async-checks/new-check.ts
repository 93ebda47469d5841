import { createHash } from 'node:crypto';
import type { StoredRequest } from './async-check.js';

/** A check that is to be accepted. */
export interface NewCheck {
  /** UUID, which the caller polls with. */
  id: string;
  clientId: string;
  request: StoredRequest;
  callbackUrl: string | undefined;
  /** The result goes to the results queue too. */
  reply: boolean;
  idempotencyKey: string | undefined;
}

/** Tells whether two requests under one idempotency key are the same. */
export const requestHash = ({ request, callbackUrl }: Pick<NewCheck, 'request' | 'callbackUrl'>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([request, callbackUrl]))
    .digest();
