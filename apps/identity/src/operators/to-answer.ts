import type { AuditRecord } from '../audit/audit-record.entity.js';
import { toApplicationAnswer } from '../client-applications/to-answer.js';
import type { ClientApplication } from '../clients/client-application.entity.js';
import { awaiting } from '../clients/scope-approval.js';

export const toPendingAnswer = (client: ClientApplication) => ({
  ...toApplicationAnswer(client),
  ownerId: client.ownerId,
  ownerUserId: client.owner.userId ?? undefined,
  awaitingScopes: awaiting(client),
});

export const toAuditAnswer = ({ id, at, actorKind, actorId, action, target, details }: AuditRecord) => ({
  id,
  time: at.toISOString(),
  actor: { kind: actorKind, id: actorId ?? undefined },
  action,
  target,
  details,
});
