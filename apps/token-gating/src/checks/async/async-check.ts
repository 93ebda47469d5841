import { tokenGatingError, tokenGatingRole } from '@app/dto';
import { z } from 'zod';

/** What a caller asked, as JSON: it is read again, by the schema of the day, when the check runs. */
export const storedRequest = z.object({ account: z.unknown(), rules: z.unknown() });
export type StoredRequest = z.infer<typeof storedRequest>;

/** What a check found. `errors` is empty when there are none. */
export const checkResult = z.object({ roles: z.array(tokenGatingRole), errors: z.array(tokenGatingError) });
export type CheckResult = z.infer<typeof checkResult>;

/** A check that has been accepted and not finished. */
export const pendingCheck = z.object({
  id: z.uuid(),
  clientId: z.string(),
  /** The user who asked through the client application; null when it asked by itself. */
  askerUserId: z.string().nullable(),
  request: storedRequest,
  createdAt: z.date(),
});
export type PendingCheck = z.infer<typeof pendingCheck>;

/** A check whose result has just been written, by this worker and by no other. */
export const finishedCheck = z.object({
  id: z.uuid(),
  clientId: z.string(),
  result: checkResult,
  deliveryId: z.string().nullable(),
  reply: z.boolean(),
});
export type FinishedCheck = z.infer<typeof finishedCheck>;
