import { accountOperatorAction } from '@app/dto';
import { z } from 'zod';

/** The audited actions. */
export const auditAction = z.enum([
  'client.created',
  'client.changed',
  'client.removed',
  'client.approved',
  'client.rejected',
  'client.scopes-set',
  'client.secret-rotated',
  'key.created',
  'key.rotated',
  'key.revoked',
  'plan.set',
  'plan.viewed',
  'queue.listed',
  'audit.listed',
  'user.erased',
  'username.given',
  'username.freed',
  'passkey.added',
  'passkey.kept',
  'passkey.removed',
  'passkey.blocked',
  'suspensions.listed',
  'community.viewed',
  'community.suspended',
  'community.resumed',
  ...accountOperatorAction.options,
]);
export type AuditAction = z.infer<typeof auditAction>;
