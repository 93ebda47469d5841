import { z } from 'zod';
import { checkResult } from '../../rules/check-result.js';

/** A request as received. It is stored as JSON and validated again when the check runs, by the schema of that release. */
export const storedRequest = z.object({ account: z.unknown(), rules: z.unknown() });
export type StoredRequest = z.infer<typeof storedRequest>;

/** An accepted check without a result. */
export const pendingCheck = z.object({
  id: z.uuid(),
  clientId: z.string(),
  /** Requesting user; null when the client application requested the check for itself. */
  askerUserId: z.string().nullable(),
  request: storedRequest,
  createdAt: z.date(),
});
export type PendingCheck = z.infer<typeof pendingCheck>;

/** A check whose result this worker, and no other, has just written. */
export const finishedCheck = z.object({
  id: z.uuid(),
  clientId: z.string(),
  result: checkResult,
  deliveryId: z.string().nullable(),
  reply: z.boolean(),
});
export type FinishedCheck = z.infer<typeof finishedCheck>;
