import { badRequest, conflict } from '@app/common';
import { displayText, EXAMPLES } from '@app/dto';
import { z } from 'zod';

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

export const MAX_INTERACTIONS = 1_000;

/** How far back an interaction may have happened. */
export const MAX_INTERACTION_AGE_DAYS = 7;

const id = displayText(128);

const reportedInteraction = z
  .strictObject({
    id: id.meta({ description: "The application's own id of it, under which it counts once" }),
    platformUserId: displayText(256).meta({
      description: "A member: a user id, or an id on the user's platform",
    }),
    kind: z
      .string()
      .regex(/^[a-z0-9_.-]{1,64}$/, 'must be 1 to 64 lower-case letters, digits, _, . or -')
      .meta({ description: "The application's own word; reports count all kinds as `reported`" }),
    at: z.iso.datetime({ offset: true }).meta({
      description: `When it happened, at most ${MAX_INTERACTION_AGE_DAYS} days ago`,
    }),
  })
  .meta({ id: 'ReportedInteraction' });
export type ReportedInteraction = z.output<typeof reportedInteraction>;

export const interactionReport = z
  .strictObject({ interactions: z.array(reportedInteraction).min(1).max(MAX_INTERACTIONS) })
  .meta({
    id: 'InteractionReport',
    example: {
      interactions: [
        { id: 'post-1', platformUserId: EXAMPLES.platformUserId, kind: 'post', at: EXAMPLES.startedAt },
      ],
    },
  });
export type InteractionReport = z.output<typeof interactionReport>;

const interactionOutcome = z.enum([
  'accepted',
  'repeated',
  'conflict',
  'member_not_found',
  'member_ambiguous',
]);
export type InteractionOutcome = z.output<typeof interactionOutcome>;

export const interactionResults = z
  .object({
    results: z.array(z.object({ id, outcome: interactionOutcome })).meta({
      description:
        'One per interaction, in order. `repeated`: it was accepted before; `conflict`: the id was accepted before with other ' +
        'content, which stays; the last two are not stored, and can be sent again',
    }),
  })
  .meta({ id: 'InteractionResults' });
export type InteractionResults = z.output<typeof interactionResults>;
