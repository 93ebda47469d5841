import {
  badRequest,
  conflict,
  SECOND_MS,
  serviceUnavailable,
  tooManyRequests,
  RETRY_AFTER_SECONDS,
} from '@app/common';
import {
  ACTION_LIMITS,
  KIB,
  MAX_LISTED_ACTIONS,
  MAX_LISTED_BYTES,
  MAX_WAITING_PER_TENANT,
  MIB,
} from './action-limits.js';
import type { ActionLimit } from './action-outcome.js';

export const actionCidInvalid = (problem: string) =>
  badRequest('input_invalid', `actionIpfs: ${problem}`, {
    issues: [{ path: 'actionIpfs', message: problem }],
  });

export const actionSourceInvalid = (problem: string) =>
  badRequest('action_source_invalid', `The source of the action ${problem}.`);

export const actionListLimitExceeded = () =>
  conflict(
    'action_list_limit_exceeded',
    `A client application has at most ${MAX_LISTED_ACTIONS} custom actions with ${MAX_LISTED_BYTES} bytes together: remove one first.`,
  );

/** The message comes from the action, bounded. */
export const actionFailed = (message: string) =>
  badRequest('action_invalid', `The custom action failed: ${message}`);

const LIMIT_MESSAGES: Readonly<Record<ActionLimit, string>> = {
  time: `ran for longer than ${ACTION_LIMITS.timeoutMs / SECOND_MS} seconds`,
  memory: `used more than ${ACTION_LIMITS.memoryBytes / MIB} MiB of memory`,
  stack: 'calls itself too deeply',
  result: `has a result that is larger than ${ACTION_LIMITS.resultBytes / KIB} KiB of JSON, or deeper than ${ACTION_LIMITS.resultDepth} levels`,
  signatures: `asked for more than ${ACTION_LIMITS.signatures} signatures, or for one of more than ${ACTION_LIMITS.signedBytes / KIB} KiB`,
};

export const actionLimitExceeded = (limit: ActionLimit) =>
  badRequest('action_limit_exceeded', `The custom action ${LIMIT_MESSAGES[limit]}.`, { limit });

export const waitingActionLimitExceeded = () =>
  tooManyRequests(
    'waiting_action_limit_exceeded',
    `${MAX_WAITING_PER_TENANT} of your custom actions wait already.`,
    { retryAfter: RETRY_AFTER_SECONDS.progress },
  );

export const actionsUnavailable = (options?: ErrorOptions) =>
  serviceUnavailable(
    'actions_unavailable',
    'The custom action was not run, because too many others are running. Try again in a moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    options,
  );

export const actionSignerUnavailable = () =>
  serviceUnavailable(
    'action_signer_unavailable',
    'The key of custom actions did not sign in time. Try again in a moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
  );
