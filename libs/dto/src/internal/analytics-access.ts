import { z } from 'zod';

const id = z.string().min(1).max(128);

/**
 * POST /internal/analytics-access of token-gating: whether a user, or a client application that acts for itself, may read the
 * analytics of a community. One of both is given.
 */
export const analyticsAccessRequest = z.object({
  communityId: id,
  userId: id.optional(),
  clientId: id.optional(),
  /** Whether `readsWallets` is asked for. */
  withWallets: z.boolean().optional(),
});
export type AnalyticsAccessRequest = z.infer<typeof analyticsAccessRequest>;

const role = z.object({ id: z.string(), name: z.string(), color: z.int().optional() });

export const analyticsAccessResponse = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('granted'),
    /** Absent from token-gating of the release before. */
    name: z.string().optional(),
    /** Roles in the order in which they were created. */
    roles: z.array(role),
    /** Whether the reader is a client application that is approved for `user:wallet:read`. */
    readsWallets: z.boolean().default(false),
  }),
  z.object({ outcome: z.enum(['community_not_found', 'administrator_required', 'client_not_attached']) }),
]);
export type AnalyticsAccessResponse = z.infer<typeof analyticsAccessResponse>;
export type RefusedAnalyticsAccess = Exclude<AnalyticsAccessResponse, { outcome: 'granted' }>['outcome'];
