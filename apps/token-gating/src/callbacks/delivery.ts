import { z } from 'zod';
import { checkResult } from '../rules/check-result.js';
import { ulid } from 'ulid';

/** A new `msg_<ULID>`: the same over all attempts of one delivery, so that a receiver can tell a repetition. */
export const createDeliveryId = (): string => `msg_${ulid()}`;

/** A member of a community, and when their roles changed: ISO 8601. Deliveries may overtake each other. */
export const roleChangeSubject = z.object({
  communityId: z.string(),
  userId: z.string(),
  at: z.iso.datetime(),
});
export type RoleChangeSubject = z.infer<typeof roleChangeSubject>;

/** A delivery that this worker has taken on, with what there is to say. */
export const claimedDelivery = z
  .object({
    id: z.string(),
    /** Counts from 1; this one is included. */
    attempt: z.int(),
    url: z.string(),
    requestId: z.uuid(),
    clientId: z.string(),
    result: checkResult,
    /** Whose roles changed, where nobody asked for a check. */
    subject: roleChangeSubject.nullable(),
    /** False where its receiver wants no such callbacks any more. */
    isWanted: z.boolean(),
  })
  // Scheme, host and port: what shares a receiver's patience.
  .transform((row) => ({ ...row, receiver: new URL(row.url).origin }));
export type ClaimedDelivery = z.infer<typeof claimedDelivery>;

/** What one attempt came to. */
export interface AttemptRecord {
  /** Unix milliseconds. */
  startedAt: number;
  milliseconds: number;
  /** The receiver's; undefined when there was no answer. */
  status: number | undefined;
  /** Why there was none. */
  failure: string | undefined;
}

/** What becomes of the delivery after an attempt. */
export type NextStep = { state: 'delivered' } | { state: 'failed' } | { state: 'pending'; delayMs: number };

/** An attempt that has ended, and what follows. */
export interface AttemptOutcome {
  delivery: ClaimedDelivery;
  record: AttemptRecord;
  next: NextStep;
}
