import type { Actor } from '../../applications/audit/actor.js';
import type { AuditAction } from '../../applications/audit/audit-action.js';
import type { AuditRecord } from '../../applications/audit/audit-record.entity.js';
import { formatDay } from '../views/format-values.js';
import type { AuditRecordView } from '../views/page-views.js';

const ACTION_DESCRIPTIONS: Record<AuditAction, string> = {
  'client.created': 'registered an application',
  'client.changed': 'changed an application',
  'client.removed': 'deleted an application',
  'client.approved': 'approved an application',
  'client.rejected': 'rejected an application',
  'client.scopes-set': 'set the scopes of an application',
  'client.secret-rotated': 'rotated a client secret',
  'key.created': 'created an API key',
  'key.rotated': 'rotated an API key',
  'key.revoked': 'revoked an API key',
  'plan.set': 'set a plan',
  'plan.viewed': 'viewed a plan',
  'queue.listed': 'viewed the approvals',
  'audit.listed': 'viewed the audit log',
  'account-policy.viewed': 'viewed an account policy',
  'account-policy.set': 'set an account policy',
  'account-policy.removed': 'removed an account policy',
  'freezes.listed': 'viewed the freezes',
  'freeze.set': 'froze smart accounts',
  'freeze.removed': 'removed a freeze',
  'user.erased': 'erased a user',
  'username.given': 'gave a username to a user',
  'username.freed': 'freed a username',
  'passkey.added': 'added a passkey',
  'passkey.kept': 'kept a passkey',
  'passkey.removed': 'removed a passkey',
  'passkey.blocked': 'used a passkey whose counter did not grow',
  'suspensions.listed': 'viewed the suspensions',
  'community.viewed': 'viewed a community',
  'community.suspended': 'suspended a community',
  'community.resumed': 'resumed a community',
};

const ACTOR_DESCRIPTIONS: Record<Actor['kind'], string> = {
  user: 'User',
  operator: 'Operator',
  command: 'The command line',
};

export const toAuditRecordView = (record: AuditRecord): AuditRecordView => ({
  action: ACTION_DESCRIPTIONS[record.action],
  time: `${formatDay(record.at)}, ${record.at.toISOString().slice(11, 19)} UTC`,
  actor:
    record.actorId === null
      ? ACTOR_DESCRIPTIONS[record.actorKind]
      : `${ACTOR_DESCRIPTIONS[record.actorKind]} ${record.actorId}`,
  target: record.target,
  details: Object.keys(record.details).length === 0 ? '' : JSON.stringify(record.details),
});
