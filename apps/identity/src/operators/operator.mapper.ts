import type { SupervisedCommunity } from '@app/dto';
import type { AuditRecord } from '../applications/audit/audit-record.entity.js';
import { toClientApplicationResponse } from '../applications/client-application.mapper.js';
import type { ClientApplication } from '../applications/entities/client-application.entity.js';
import { selectScopesForApproval } from '../applications/approval-state.js';

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
