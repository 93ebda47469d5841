import { badRequest, conflict } from '@app/common';

/** Interactions that one client application may report of one community in a UTC day. */
export const MAX_INTERACTIONS_PER_DAY = 100_000;

export const interactionLimitExceeded = () =>
  conflict(
    'interaction_limit_exceeded',
    `A client application may report ${MAX_INTERACTIONS_PER_DAY} interactions of a community in a day (UTC).`,
  );

/** Documents `interactionLimitExceeded`. */
export const INTERACTION_LIMIT_CONFLICT = {
  interaction_limit_exceeded: `a client application may report ${MAX_INTERACTIONS_PER_DAY} interactions of a community in a day (UTC)`,
};

export const interactionTimeInvalid = (index: number, message: string) =>
  badRequest('input_invalid', `interactions.${index}.at: ${message}`, {
    issues: [{ path: `interactions.${index}.at`, message }],
  });
