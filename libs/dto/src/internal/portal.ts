import { z } from 'zod';
import { chainList, checkContractAddress, ruleTypeList, tokenDetails } from '../rules/catalogue.js';
import { parseAccount } from '../rules/account.js';
import { tokenGatingExplanation } from '../rules/explanation.js';
import { roleRules } from '../rules/role-rules.js';

/** What token-gating's internal API offers the portal, beside its operations. `userId` is the signed-in user, in whose right it acts. */
const userId = z.string().min(1).max(128);
const communityId = z
  .string()
  .min(1)
  .max(128)
  .refine((id) => !id.includes('\0'), 'must not hold a NUL character');

/** The answer of what has nothing to say. */
export const portalDone = z.object({});

/** POST /internal/portal/new-communities: counts a community that is about to be created, by the address of its creator. */
export const newPortalCommunityRequest = z.strictObject({
  userId,
  /** The address of the browser, as the gateway forwards it. */
  address: z.string().max(256),
});
export type NewPortalCommunityRequest = z.output<typeof newPortalCommunityRequest>;

/** POST /internal/portal/catalogue: the chains and rule types of the deployment. */
export const portalCatalogue = z.object({
  ...chainList.shape,
  ...ruleTypeList.shape,
  /** Whether communities may have rules without an approved client application, and within which limits. */
  withoutApplication: z
    .object({
      ruleTypes: z.array(z.string()),
      maxRules: z.int(),
      maxMembers: z.int(),
      maxCommunities: z.int(),
    })
    .optional(),
});
export type PortalCatalogue = z.output<typeof portalCatalogue>;

/** POST /internal/portal/tokens: what a contract says of itself. */
export const portalTokenRequest = z
  .strictObject({
    userId,
    chainId: z.int().min(1),
    contractAddress: z.string().min(1, 'is required: the address of the contract').max(128),
  })
  .check(checkContractAddress);
export type PortalTokenRequest = z.output<typeof portalTokenRequest>;
export const portalTokenResponse = tokenDetails;

/** Addresses on which rules are tried at once. */
export const MAX_TRIED_ADDRESSES = 20;

/** An address that somebody typed. The text stays as it was, beside what it stands for. */
const triedAddress = z
  .string()
  .trim()
  .max(256)
  .transform((text, context) => {
    const account = text === '' ? 'is required: an address of Ethereum or Solana' : parseAccount(text);
    if (typeof account !== 'string' && account.family !== 'user') return { text, account };
    const message = typeof account === 'string' ? account : 'must be an address of Ethereum or Solana';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** POST /internal/portal/rule-trials: what rules that are not saved would say of some addresses. */
export const ruleTrialRequest = z.strictObject({
  userId,
  communityId,
  rules: roleRules,
  addresses: z
    .array(triedAddress)
    .min(1, 'must hold at least one address')
    .max(MAX_TRIED_ADDRESSES, `must hold at most ${MAX_TRIED_ADDRESSES} addresses`),
});
export type RuleTrialRequest = z.output<typeof ruleTrialRequest>;

/** An explanation with its sentence for people. */
const portalExplanation = z.object({ ...tokenGatingExplanation.shape, sentence: z.string() });
export type PortalExplanation = z.output<typeof portalExplanation>;

/** Whether a role would be granted; null where that is unknown. */
const portalRoleVerdict = z.object({ id: z.string(), granted: z.boolean().nullable() });
export type PortalRoleVerdict = z.output<typeof portalRoleVerdict>;

export const ruleTrialResponse = z.object({
  /** Results in the order of the addresses. */
  results: z.array(
    z.object({
      address: z.string(),
      roles: z.array(portalRoleVerdict),
      explanations: z.array(portalExplanation),
    }),
  ),
});
export type RuleTrialResponse = z.output<typeof ruleTrialResponse>;

/** POST /internal/portal/member-checks: checks a member now, and says why. `memberId` is a user id. */
export const portalMemberCheckRequest = z.strictObject({ userId, communityId, memberId: userId });
export type PortalMemberCheckRequest = z.output<typeof portalMemberCheckRequest>;

export const portalMemberCheckResponse = z.object({
  roles: z.array(portalRoleVerdict),
  explanations: z.array(portalExplanation),
});
export type PortalMemberCheckResponse = z.output<typeof portalMemberCheckResponse>;
