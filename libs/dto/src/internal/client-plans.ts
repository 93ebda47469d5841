import { z } from 'zod';
import { planName, requestLimits } from '../plans.js';
import { knownScopes } from '../scopes.js';

/** POST /internal/client-plans of identity: whose plans requests of these client applications count on, and what they may. */
export const clientPlansRequest = z.strictObject({
  clientIds: z.array(z.string().max(128)).min(1).max(500),
});
export type ClientPlansRequest = z.infer<typeof clientPlansRequest>;

export const clientPlan = z.object({
  clientId: z.string(),
  /** The plan holder: limits are counted on it. */
  ownerId: z.string(),
  plan: planName,
  limits: requestLimits,
  /** Scopes that the client application has now, those among them that an operator had to approve. */
  scopes: knownScopes,
});
export type ClientPlan = Readonly<z.infer<typeof clientPlan>>;

/** Client applications that do not exist are left out. `asOf` is that of a credential answer. */
export const clientPlansResponse = z.object({ asOf: z.int().nonnegative(), plans: z.array(clientPlan) });
export type ClientPlansResponse = Readonly<z.infer<typeof clientPlansResponse>>;
