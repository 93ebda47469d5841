import { z } from 'zod';
import { planName, requestLimits } from '../plans.js';
import { knownScopes } from '../scopes.js';

/** POST /internal/client-plans of identity: the tenants, limits and scopes of client applications. */
export const clientPlansRequest = z.object({
  clientIds: z.array(z.string().max(128)).min(1).max(500),
});
export type ClientPlansRequest = z.infer<typeof clientPlansRequest>;

export const clientPlan = z.object({
  clientId: z.string(),
  /** The tenant, whose requests the limits count. */
  ownerId: z.string(),
  plan: planName,
  limits: requestLimits,
  /** Current scopes, including approved ones. */
  scopes: knownScopes,
});
export type ClientPlan = Readonly<z.infer<typeof clientPlan>>;

/** Omits unknown client applications. `asOf` is the same as in CredentialResponse. */
export const clientPlansResponse = z.object({ asOf: z.int().nonnegative(), plans: z.array(clientPlan) });
export type ClientPlansResponse = Readonly<z.infer<typeof clientPlansResponse>>;
