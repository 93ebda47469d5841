import { tokenGatingRequest } from '@app/dto';
import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';
import { rawJson } from './raw-json.js';
import { requestId } from './request-id.js';
import { storable } from './storable.js';

/** As identity makes them. */
const CLIENT_ID = /^client_[0-9A-Za-z]{1,64}$/;
const { account, rules, callbackUrl } = tokenGatingRequest.shape;

/** A check whose request is a row already. */
export const storedCheck = z.strictObject({ version: z.literal(1), requestId });

/** A check that another service asks for through the queue (contract.md section 5). */
export const queuedCheck = z
  .strictObject({
    version: z.literal(1),
    /** Chosen by whoever asks. A check with an id that was seen before is not a new one. */
    requestId,
    /** The client application on whose plan it counts. */
    clientId: z.string().regex(CLIENT_ID, 'is not the id of a client application'),
    account: rawJson(account),
    rules: rawJson(rules),
    callbackUrl,
    /** Whether the result goes to the `check-roles-results` queue. */
    reply: z.boolean().optional(),
  })
  .superRefine(storable);

export const checkRolesQueue = defineQueue({
  name: 'check-roles',
  payload: z.union([storedCheck, queuedCheck]),
  jobId: (check) => check.requestId,
  options: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * 86_400 },
  },
});

export type CheckRolesJob = PayloadOf<typeof checkRolesQueue>;
