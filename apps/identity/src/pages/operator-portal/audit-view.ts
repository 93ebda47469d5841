import type { Actor } from '../../applications/audit/actor.js';
import type { AuditAction } from '../../applications/audit/audit-action.js';
import type { AuditRecord } from '../../applications/audit/audit-record.entity.js';
import { formatDay } from '../views/format-values.js';

export interface AuditRecordView {
  what: string;
  when: string;
  who: string;
  /** The id of a client application or a plan holder. */
  target: string;
  /** What more there is to know; empty when there is nothing. */
  details: string;
}

export interface AuditView {
  records: AuditRecordView[];
  /** What was done to this one alone. */
  target?: string;
  /** Where the records before these are; absent when there are none. */
  olderPath?: string;
}

const ACTION_DESCRIPTIONS: Record<AuditAction, string> = {
  'client.created': 'registered an application',
  'client.changed': 'changed an application',
  'client.removed': 'deleted an application',
  'client.approved': 'approved an application',
  'client.rejected': 'refused an application',
  'client.scopes-set': 'set the scopes of an application',
  'client.secret-rotated': 'made a new client secret',
  'key.created': 'made an API key',
  'key.rotated': 'replaced an API key',
  'key.revoked': 'ended an API key',
  'plan.set': 'set a plan',
  'plan.viewed': 'looked at a plan',
  'queue.listed': 'looked at the approvals',
  'audit.listed': 'looked at this record',
};

const ACTOR_DESCRIPTIONS: Record<Actor['kind'], string> = {
  user: 'User',
  operator: 'Operator',
  command: 'The command',
};

export const toAuditRecordView = (record: AuditRecord): AuditRecordView => ({
  what: ACTION_DESCRIPTIONS[record.action],
  when: `${formatDay(record.at)}, ${record.at.toISOString().slice(11, 19)} UTC`,
  who:
    record.actorId === null
      ? ACTOR_DESCRIPTIONS[record.actorKind]
      : `${ACTOR_DESCRIPTIONS[record.actorKind]} ${record.actorId}`,
  target: record.target,
  details: Object.keys(record.details).length === 0 ? '' : JSON.stringify(record.details),
});
