import { tokenGatingRequest } from '@app/dto';
import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';
import { requestId } from './request-id.js';
import { checkStorableJson } from './check-storable-json.js';

/**
 * Checks a value against a schema and passes on the value itself: what the schema makes of it (bigints, addresses) does
 * not travel through a queue as JSON.
 */
export const validatedInput = <S extends z.ZodType>(schema: S) =>
  z.custom<z.input<S>>().superRefine((value, context) => {
    const { error } = schema.safeParse(value);
    for (const { path, message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });

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
    account: validatedInput(account),
    rules: validatedInput(rules),
    callbackUrl,
    /** Whether the result goes to the `check-roles-results` queue. */
    reply: z.boolean().optional(),
  })
  .superRefine(checkStorableJson);

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
