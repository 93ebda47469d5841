import { DAY_SECONDS } from '@app/common';
import { isComposition, tokenGatingRequest, tokenGatingError, tokenGatingRole } from '@app/dto';
import { z } from 'zod';
import { defineQueue, type PayloadOf, requestId, checkStorableJson } from './define-queue.js';

/** Validates a value with a schema and returns the input, because the output (bigints) is not JSON. */
const validatedInput = <S extends z.ZodType>(schema: S) =>
  z.custom<z.input<S>>().superRefine((value, context) => {
    const { error } = schema.safeParse(value);
    for (const { path, message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });

const CLIENT_ID = /^client_[0-9A-Za-z]{1,64}$/;
const { account, rules, callbackUrl } = tokenGatingRequest.shape;

/** A check whose request is stored in PostgreSQL. */
const storedCheck = z.strictObject({ version: z.literal(1), requestId });

/** A check that an internal service requests through the queue (contract.md section 5). */
const queuedCheck = z
  .strictObject({
    /** 2 for a check with a tree of rules, which consumers of version 1 refuse. */
    version: z.literal([1, 2]),
    /** Chosen by the requesting service. A second check with the same id is a duplicate. */
    requestId,
    /** The client application whose plan the check counts on. */
    clientId: z.string().regex(CLIENT_ID, 'is not the id of a client application'),
    account: validatedInput(account),
    rules: validatedInput(rules),
    callbackUrl,
    /** Whether the result goes to the `check-roles-results` queue. */
    reply: z.boolean().optional(),
  })
  .superRefine(checkVersion)
  .superRefine(checkStorableJson);

/** A check without a tree is of version 1, so that every consumer takes it. */
function checkVersion(
  { version, rules }: { readonly version: number; readonly rules: unknown },
  { addIssue }: z.RefinementCtx,
): void {
  const tree = Array.isArray(rules) ? rules.findIndex(isComposition) : -1;
  if (tree >= 0 && version === 1)
    addIssue({ code: 'custom', path: ['rules', tree], message: 'is a tree of rules, which needs version 2' });
  if (tree < 0 && version === 2)
    addIssue({ code: 'custom', path: ['version'], message: 'must be 1: no rule is a tree' });
}

export const checkRolesQueue = defineQueue({
  name: 'check-roles',
  description: 'A check that token-gating has stored, by its id, or one that an internal service requests.',
  payload: z.union([storedCheck, queuedCheck]),
  jobId: (check) => check.requestId,
  options: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * DAY_SECONDS },
  },
});

export type CheckRolesJob = PayloadOf<typeof checkRolesQueue>;

/** Results of checks with `reply: true`, in the form of the polling response. The requesting service consumes them. */
export const checkRolesResultsQueue = defineQueue({
  name: 'check-roles-results',
  description: 'The result of a check with `reply: true`, for the internal service that requested it.',
  payload: z.strictObject({
    requestId,
    roles: z.array(tokenGatingRole),
    errors: z.array(tokenGatingError).optional(),
  }),
  jobId: ({ requestId }) => requestId,
  options: {
    attempts: 5,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * DAY_SECONDS },
  },
});
