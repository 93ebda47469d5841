import { z } from 'zod';
import { chainList, checkContractAddress, ruleTypeList, tokenDetails } from '../rules/catalogue.js';
import { parseAccount } from '../rules/account.js';
import { tokenGatingExplanation } from '../rules/explanation.js';
import { rawRoleRule, roleRules } from '../rules/role-rules.js';
import { userPlatform } from './platform-users.js';

/** What token-gating's internal API offers the portal, beside its operations. `userId` is the signed-in user, in whose right it acts. */
const hasNoNul = [(text: string) => !text.includes('\0'), 'must not hold a NUL character'] as const;
/** Texts reach PostgreSQL, which takes none with this character. */
const id = z
  .string()
  .min(1)
  .max(128)
  .refine(...hasNoNul);
const [userId, communityId] = [id, id];

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

/** POST /internal/portal/members/find: a member with the roles that are stored. `memberId` is a user id. */
export const portalMemberRequest = portalMemberCheckRequest;
export type PortalMemberRequest = PortalMemberCheckRequest;

export const portalMemberCheckResponse = z.object({
  roles: z.array(portalRoleVerdict),
  explanations: z.array(portalExplanation),
});
export type PortalMemberCheckResponse = z.output<typeof portalMemberCheckResponse>;

/** A role as pages show it. */
const portalRole = z.object({ id: z.string(), name: z.string(), color: z.int().optional() });

/** POST /internal/portal/invitations: what an invited person sees of a community. A public one needs no code. */
export const portalInvitationRequest = z.strictObject({
  communityId,
  code: z
    .string()
    .max(128)
    .refine(...hasNoNul)
    .optional(),
  /** The signed-in user, who also sees what they hold. */
  userId: userId.optional(),
});
export type PortalInvitationRequest = z.output<typeof portalInvitationRequest>;

export const portalInvitation = z.object({
  communityId: z.string(),
  name: z.string(),
  iconURL: z.string().optional(),
  memberCount: z.int(),
  /** What the owner is called, and the beginning and the end of the owner's address. Either may be unknown. */
  owner: z.object({ name: z.string().optional(), address: z.string().optional() }),
  roles: z.array(portalRole),
  /** As members see them: lists without their accounts. */
  rules: z.array(rawRoleRule),
  /** Present for a signed-in user. */
  user: z
    .object({
      isMember: z.boolean(),
      /** False for somebody who was removed: a newer invitation is needed. */
      mayJoin: z.boolean(),
      /** Absent where it could not be checked: the plan is used up, or the rules cannot be checked. */
      check: portalMemberCheckResponse.optional(),
    })
    .optional(),
});
export type PortalInvitation = z.output<typeof portalInvitation>;

/** How the user signed in; null for a wallet login of an earlier release. */
const amr = z.array(z.string().max(16)).max(8).nullable();
const offeredCommunity = z.strictObject({ userId, communityId });

/** POST /internal/portal/ownership-offers/make: the owner offers a community to an administrator. */
export const makeOwnershipOfferRequest = offeredCommunity.extend({ newOwnerId: userId, amr });
export type MakeOwnershipOfferRequest = z.output<typeof makeOwnershipOfferRequest>;

/** POST /internal/portal/ownership-offers/accept. */
export const acceptOwnershipOfferRequest = offeredCommunity.extend({
  amr,
  /** The revision of the rules that the user has read before accepting. */
  rulesRevision: z.int(),
});
export type AcceptOwnershipOfferRequest = z.output<typeof acceptOwnershipOfferRequest>;

/** POST /internal/portal/ownership-offers/find, withdraw and decline. */
export const ownershipOfferRequest = offeredCommunity;
export type OwnershipOfferRequest = z.output<typeof ownershipOfferRequest>;

/** POST /internal/portal/ownership-offers/list: the open offers of and to a user. */
export const ownershipOffersRequest = z.strictObject({ userId });
export type OwnershipOffersRequest = z.output<typeof ownershipOffersRequest>;

export const ownershipOffer = z.object({
  communityId: z.string(),
  name: z.string(),
  memberCount: z.int(),
  fromUserId: z.string(),
  toUserId: z.string(),
  /** Absent where the user has no name, or identity is away. */
  fromName: z.string().optional(),
  toName: z.string().optional(),
  expiresTime: z.iso.datetime(),
});
export type PortalOwnershipOffer = z.output<typeof ownershipOffer>;

export const ownershipOffersResponse = z.object({
  made: z.array(ownershipOffer),
  received: z.array(ownershipOffer),
});
export type OwnershipOffersResponse = z.output<typeof ownershipOffersResponse>;

/** An offer with what the new owner takes over. */
export const ownershipOfferDetails = ownershipOffer.extend({
  roles: z.array(portalRole),
  rules: z.array(rawRoleRule),
  /** Accepting names it, so that nobody takes over rules that they have not read. */
  rulesRevision: z.int(),
  cost: z.object({
    /** Rules, those of trees counted. */
    rules: z.int(),
    /** Reads of chains that a check of all members takes where each has one wallet. */
    readsPerCheck: z.int(),
    /** Whether no approved application stands for the rules, so that the small limits of the portal hold. */
    isWithoutApplication: z.boolean(),
  }),
});
export type OwnershipOfferDetails = z.output<typeof ownershipOfferDetails>;

const SORT_TIME =
  /^([12]\d{3}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.\d{1,6})?[+-](?:0\d|1[0-4])(?::[0-5]\d)?$/;

/** Whether a text is a time as PostgreSQL writes it, which is where the next page begins. Only days that exist are read. */
function isSortTime(text: string): boolean {
  const [, day = '', time = ''] = SORT_TIME.exec(text) ?? [];
  const date = new Date(`${day}T${time}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

const sortTime = z.string().max(64).refine(isSortTime, 'must be the time of `next` of a page');

/** Members that one look of a search reads. */
const MAX_PORTAL_MEMBERS = 100;

/** POST /internal/portal/members: members for those who run the community, in the order of joining. */
export const portalMembersRequest = z.strictObject({
  userId,
  communityId,
  /** A part of the name, of the username or of the id on the platform, which may be an address. */
  text: z
    .string()
    .trim()
    .max(256)
    .refine(...hasNoNul)
    .optional(),
  /** Only members who are stored as holding this role. */
  roleId: z
    .string()
    .max(64)
    .refine(...hasNoNul)
    .optional(),
  /** `next` of the page before. */
  after: z.tuple([sortTime, userId]).optional(),
  limit: z.int().min(1).max(MAX_PORTAL_MEMBERS).default(25),
});
export type PortalMembersRequest = z.output<typeof portalMembersRequest>;

export const portalMember = z.object({
  userId: z.string(),
  name: z.string().optional(),
  platform: userPlatform,
  platformUserId: z.string(),
  joinedTime: z.iso.datetime(),
  /** The roles that are stored. */
  roles: z.array(portalRole),
  isAdministrator: z.boolean(),
  isOwner: z.boolean(),
  /** When roles were gained and lost; absent in lists, and from token-gating of the release before. */
  roleTimes: z
    .array(
      z.object({
        roleId: z.string(),
        /** When the role was gained last. */
        gainedTime: z.iso.datetime(),
        lostTime: z.iso.datetime().optional(),
      }),
    )
    .optional(),
});
export type PortalMember = z.output<typeof portalMember>;

export const portalMembersResponse = z.object({
  members: z.array(portalMember),
  memberCount: z.int(),
  /** Where the next page begins. A page of a search may be empty and have a next one: the search goes on there. */
  next: z.tuple([z.string(), z.string()]).optional(),
});
export type PortalMembersResponse = z.output<typeof portalMembersResponse>;

/** POST /internal/portal/members/ended: how a membership of the user ended. */
export const endedMembershipRequest = offeredCommunity;
export type EndedMembershipRequest = z.output<typeof endedMembershipRequest>;

export const endedMembershipResponse = z.object({
  /** Absent for members, for users who never were, and for communities that do not exist. */
  ended: z
    .object({
      how: z.enum(['left', 'removed']),
      /** The name that the member knew; absent where members could not see the community. */
      name: z.string().optional(),
      time: z.iso.datetime().optional(),
      /** Whether everyone can join the community now. */
      isPublic: z.boolean(),
    })
    .optional(),
});
export type EndedMembershipResponse = z.output<typeof endedMembershipResponse>;

/** POST /internal/portal/callback-states: how the callbacks of attached applications went, for those who run the community. */
export const callbackStatesRequest = offeredCommunity;
export type CallbackStatesRequest = z.output<typeof callbackStatesRequest>;

export const callbackStatesResponse = z.object({
  /** Applications that were called back lately. */
  applications: z.array(
    z.object({
      clientId: z.string(),
      pending: z.int(),
      delivered: z.int(),
      failed: z.int(),
      last: z.object({ state: z.enum(['pending', 'delivered', 'failed']), time: z.iso.datetime() }),
      /** The last attempt that failed. */
      failure: z.object({ reason: z.string(), time: z.iso.datetime() }).optional(),
    }),
  ),
});
export type CallbackStatesResponse = z.output<typeof callbackStatesResponse>;
