import { EXAMPLES, scope, supervisedCommunity, type SupervisedCommunity, suspensionReason } from '@app/dto';
import { z } from 'zod';
import { selectScopesForApproval } from '../applications/approval-state.js';
import { auditAction } from '../applications/audit/audit-action.js';
import type { AuditRecord } from '../applications/audit/audit-record.entity.js';
import { clientApplication, toClientApplicationResponse } from '../applications/client-application.dto.js';
import type { ClientApplication } from '../applications/entities/client-application.entity.js';
import { isLikeUserId, USERNAME_PATTERN } from '../users/profile/profile-fields.js';
import { MAX_OWNERSHIP_LIMIT, type PlanTerms } from '../applications/plans/plan-terms.js';

export const toPendingApplicationResponse = (client: ClientApplication) => ({
  ...toClientApplicationResponse(client),
  ownerId: client.ownerId,
  ownerUserId: client.owner.userId ?? undefined,
  awaitingScopes: selectScopesForApproval(client),
});

export const toSupervisedCommunityResponse = (community: SupervisedCommunity) => ({
  ...community,
  status: community.suspension ? ('suspended' as const) : ('active' as const),
});

export const toAuditRecordResponse = ({
  id,
  at,
  actorKind,
  actorId,
  action,
  target,
  details,
}: AuditRecord) => ({
  id,
  time: at.toISOString(),
  actor: { kind: actorKind, id: actorId ?? undefined },
  action,
  target,
  details,
});

export const pendingApplications = z
  .object({
    items: z.array(
      clientApplication
        .extend({
          ownerId: z.string().meta({ description: 'The id of the tenant' }),
          ownerUserId: z.string().optional(),
          awaitingScopes: z.array(scope).meta({ description: 'The requested scopes that need a decision' }),
        })
        .meta({ id: 'PendingApplication' }),
    ),
  })
  .meta({ id: 'PendingApplicationList' });

const revision = z.int().positive().meta({
  description: 'The reviewed revision of the application; 409 when it was changed since',
});

export const approvalRequest = z
  .strictObject({
    revision,
    scopes: z
      .array(scope)
      .max(50)
      .optional()
      .meta({ description: 'A subset of the awaiting scopes; all of them when omitted' }),
  })
  .meta({ id: 'ApplicationApproval', example: { revision: 1 } });
export type ApprovalRequest = z.output<typeof approvalRequest>;

export const rejectionRequest = z
  .strictObject({
    revision,
    reason: z
      .string()
      .min(1)
      .max(1_000)
      .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters')
      .meta({ description: 'Shown to the owner' }),
  })
  .meta({ id: 'ApplicationRejection', example: { revision: 1, reason: 'The name is taken' } });
export type RejectionRequest = z.output<typeof rejectionRequest>;

export const ownerParams = z.object({
  ownerId: z.string().min(1).max(64).meta({ example: EXAMPLES.holderId }),
});
export type OwnerParams = z.output<typeof ownerParams>;

export const erasedUserParams = z.object({
  userId: z.string().min(1).max(128).meta({ example: EXAMPLES.outsiderId }),
});
export type ErasedUserParams = z.output<typeof erasedUserParams>;

const heldUsername = z.string().regex(USERNAME_PATTERN, 'must be a username');
const OF_USERNAMES = { description: 'Also a reserved one', example: 'ada_lovelace' };

export const usernameParams = z.object({ username: heldUsername.meta(OF_USERNAMES) });
export type UsernameParams = z.output<typeof usernameParams>;

export const givenUsernameParams = z.object({
  username: heldUsername
    .refine((username) => !isLikeUserId(username), 'must not look like a user id')
    .meta(OF_USERNAMES),
});

export const usernameOwner = z
  .strictObject({ userId: erasedUserParams.shape.userId })
  .meta({ id: 'UsernameOwner', example: { userId: EXAMPLES.holderId } });
export type UsernameOwner = z.output<typeof usernameOwner>;

export const supervisedCommunityParams = z.object({
  communityId: z.string().min(1).max(128).meta({ example: EXAMPLES.communityId }),
});
export type SupervisedCommunityParams = z.output<typeof supervisedCommunityParams>;

export const supervisedCommunityResponse = supervisedCommunity
  .extend({
    status: z.enum(['active', 'suspended']),
    suspension: supervisedCommunity.shape.suspension.meta({
      description: 'Absent while the community is active',
    }),
  })
  .meta({ id: 'SupervisedCommunity' });

export const suspensionRequest = z
  .strictObject({
    reason: suspensionReason.meta({
      description: 'For operators; those who run the community do not see it',
    }),
  })
  .meta({ id: 'CommunitySuspension', example: { reason: 'It imitates another community' } });
export type SuspensionRequest = z.output<typeof suspensionRequest>;

const count = z.int().positive();
const ownershipLimit = z.int().positive().max(MAX_OWNERSHIP_LIMIT).nullish();

/** Only an enterprise plan has its own limits. */
export const planChange = z
  .discriminatedUnion('plan', [
    z.strictObject({ plan: z.enum(['free', 'paid']) }),
    z.strictObject({
      plan: z.literal('enterprise'),
      requestsPerSecond: count,
      requestsPerMonth: count,
      clientApplications: ownershipLimit.meta({
        description: 'Client applications; absent or null: no limit',
      }),
      apiKeys: ownershipLimit.meta({ description: 'Live API keys; absent or null: no limit' }),
    }),
  ])
  .meta({ id: 'PlanChange', example: { plan: 'paid' } });
export type PlanChange = z.output<typeof planChange>;

export const toPlanTerms = (change: PlanChange): PlanTerms =>
  change.plan === 'enterprise'
    ? {
        plan: change.plan,
        perSecond: change.requestsPerSecond,
        perMonth: change.requestsPerMonth,
        maxClientApplications: change.clientApplications ?? null,
        maxApiKeys: change.apiKeys ?? null,
      }
    : { plan: change.plan, perSecond: null, perMonth: null };

export const auditQuery = z.object({
  target: z.string().min(1).max(64).optional().meta({ description: 'A client id or the id of a tenant' }),
});
export type AuditQuery = z.output<typeof auditQuery>;

export const auditRecords = z
  .object({
    items: z.array(
      z
        .object({
          id: z.int(),
          time: z.iso.datetime(),
          actor: z.object({ kind: z.enum(['user', 'operator', 'command']), id: z.string().optional() }),
          action: auditAction,
          target: z.string(),
          details: z.looseObject({}),
        })
        .meta({ id: 'AuditRecord' }),
    ),
  })
  .meta({ id: 'AuditRecordList' });
