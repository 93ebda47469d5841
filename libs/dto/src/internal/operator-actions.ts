import { z } from 'zod';

/** What operators do at account-kit. Each is in identity's audit log. */
export const accountOperatorAction = z.enum([
  'account-policy.viewed',
  'account-policy.set',
  'account-policy.removed',
  'freezes.listed',
  'freeze.set',
  'freeze.removed',
]);
export type AccountOperatorAction = z.infer<typeof accountOperatorAction>;

/** POST /internal/operator-actions of identity: records what an operator is about to do at another app. */
export const operatorActionRequest = z.object({
  user: z.object({ id: z.string(), authTime: z.int().optional(), amr: z.array(z.string()).optional() }),
  action: accountOperatorAction,
  /** A client id, the id of a freeze, or the name of a list. */
  target: z.string().min(1).max(128),
  details: z.record(z.string(), z.unknown()).optional(),
  /** A client application that must exist. */
  clientId: z.string().max(128).optional(),
});
export type OperatorActionRequest = Readonly<z.infer<typeof operatorActionRequest>>;

/** Why the user may not act as an operator; the code of the 403 response, too. */
export const operatorRefusal = z.enum([
  'operator_required',
  'recent_login_required',
  'wallet_login_required',
]);

/** Unless it is `recorded`, the user must not do it. */
export const operatorActionResponse = z.object({
  outcome: z.enum(['recorded', ...operatorRefusal.options, 'client_not_found']),
});
export type OperatorActionResponse = Readonly<z.infer<typeof operatorActionResponse>>;
