import { z } from 'zod';
import { checkResult } from '../async-checks/async-check.js';

/** A member of a community, and when their roles changed: ISO 8601. Deliveries may overtake each other. */
export const roleSubject = z.object({
  communityId: z.string(),
  userId: z.string(),
  at: z.iso.datetime(),
});
export type RoleSubject = z.infer<typeof roleSubject>;

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
    subject: roleSubject.nullable(),
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
export interface Outcome {
  delivery: ClaimedDelivery;
  record: AttemptRecord;
  next: NextStep;
}
