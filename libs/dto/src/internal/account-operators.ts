import { z } from 'zod';

/** What account-kit does for operators in the portal, whom identity has authorized. */

const FREEZE_ID =
  /^(?:everything|account:(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})|application:[\w.-]{1,100}|(?:chain|paymaster):(?:[1-9]\d{0,15}|SOL|SOL_DEVNET))$/;

/** Names what is frozen; an account by its EVM or Solana address. */
export const freezeId = z
  .string()
  .regex(
    FREEZE_ID,
    'must be `account:` with an address, `application:` with a client id, `chain:` or `paymaster:` with a chain id or Solana network, or `everything`',
  );

const APPLICATION = 'application:';

/** The frozen client application. Its own id is the target in the audit log, so that its page there shows all that was done to it. */
export const getFrozenClientId = (id: string): string | undefined =>
  id.startsWith(APPLICATION) ? id.slice(APPLICATION.length) : undefined;

export const freezeReason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters');

export const accountFreeze = z.object({
  id: z.string(),
  scope: z.enum(['account', 'application', 'chain', 'paymaster', 'everything']),
  reason: z.string(),
  frozenAt: z.iso.datetime(),
});
export type AccountFreeze = Readonly<z.infer<typeof accountFreeze>>;

/** GET /internal/account-freezes of account-kit, oldest first. */
export const accountFreezesResponse = z.object({ items: z.array(accountFreeze) });
export type AccountFreezesResponse = Readonly<z.infer<typeof accountFreezesResponse>>;

/** POST /internal/account-freezes/set */
export const setFreezeRequest = z.object({ freezeId, reason: freezeReason });
export type SetFreezeRequest = Readonly<z.infer<typeof setFreezeRequest>>;
export const setFreezeResponse = z.object({ outcome: z.enum(['set', 'account_not_found']) });
export type SetFreezeResponse = Readonly<z.infer<typeof setFreezeResponse>>;

/** POST /internal/account-freezes/remove. Removing what is not frozen is no error. */
export const removeFreezeRequest = z.object({ freezeId });
export type RemoveFreezeRequest = Readonly<z.infer<typeof removeFreezeRequest>>;

/** POST /internal/account-policies/load */
export const accountPolicyRequest = z.object({ clientId: z.string().min(1).max(128) });
export type AccountPolicyRequest = Readonly<z.infer<typeof accountPolicyRequest>>;

export const storedAccountPolicyResponse = z.object({
  /** JSON for people; null without a policy. */
  document: z.string().nullable(),
  /** The revision that a change must name; `none` without a policy. Earlier releases of account-kit have none. */
  revision: z.string().optional(),
  /** What applications without a policy may do. */
  default: z.enum(['deny', 'open']),
});
export type StoredAccountPolicyResponse = Readonly<z.infer<typeof storedAccountPolicyResponse>>;

/** POST /internal/account-policies/check: whether a text is a policy. */
export const checkAccountPolicyRequest = z.object({ document: z.string().max(512 * 1_024) });
export type CheckAccountPolicyRequest = Readonly<z.infer<typeof checkAccountPolicyRequest>>;
/** A place of a policy, such as `calls`, 0, `target`, and what is wrong there. */
const policyIssue = z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() });
export type PolicyIssue = Readonly<z.infer<typeof policyIssue>>;

export const checkAccountPolicyResponse = z.discriminatedUnion('isValid', [
  /** Details for the audit log. */
  z.object({ isValid: z.literal(true), auditDetails: z.record(z.string(), z.unknown()) }),
  /** Earlier releases of account-kit name no issues. */
  z.object({ isValid: z.literal(false), problem: z.string(), issues: z.array(policyIssue).optional() }),
]);
export type CheckAccountPolicyResponse = Readonly<z.infer<typeof checkAccountPolicyResponse>>;

const policyEntries = z.array(z.record(z.string(), z.unknown()));

/** The parts of a stored policy, whose `document` account-kit wrote: what forms show. A part of a later release is refused. */
export const storedPolicyDocument = z.strictObject({
  calls: policyEntries,
  tokens: policyEntries,
  solanaTokens: policyEntries.optional(),
  caps: policyEntries,
  maxValue: z.string(),
  maxGasCost: z.string().optional(),
  maxLamports: z.string().optional(),
  mintChains: z.array(z.number()),
  sponsoredChains: z.array(z.number()),
  requiresIdempotencyKey: z.boolean(),
  solanaNetworks: z.array(z.string()),
  sponsoredNetworks: z.array(z.string()),
  solanaPrograms: z.array(z.string()).optional(),
});

/** POST /internal/account-policies/remove. Without a revision the last writer wins. */
export const removeAccountPolicyRequest = accountPolicyRequest.extend({ revision: z.string().optional() });
export type RemoveAccountPolicyRequest = Readonly<z.infer<typeof removeAccountPolicyRequest>>;

/** POST /internal/account-policies/set. The document was checked before. */
export const setAccountPolicyRequest = removeAccountPolicyRequest.extend(checkAccountPolicyRequest.shape);
export type SetAccountPolicyRequest = Readonly<z.infer<typeof setAccountPolicyRequest>>;

/** The response of `set` and `remove`: not done only if the policy has another revision than the request. */
export const policyChangeResponse = z.object({ isDone: z.boolean() });
export type PolicyChangeResponse = Readonly<z.infer<typeof policyChangeResponse>>;

export const doneResponse = z.object({ isDone: z.literal(true) });
export type DoneResponse = Readonly<z.infer<typeof doneResponse>>;

/** What operators do at account-kit. Each is in identity's audit log. */
export const accountOperatorAction = z.enum([
  'account-policy.viewed',
  'account-policy.set',
  'account-policy.removed',
  'freezes.listed',
  'freeze.set',
  'freeze.removed',
]);

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
