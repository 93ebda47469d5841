import { accountOperatorAction } from '@app/dto';
import { z } from 'zod';

/** The author of an audited action: a user, an operator, or the command line. */
export type Actor =
  | { readonly kind: 'user' | 'operator'; readonly id: string }
  | { readonly kind: 'command'; readonly id: null };

export const COMMAND_LINE_ACTOR: Actor = { kind: 'command', id: null };

export const toUserActor = (id: string): Actor => ({ kind: 'user', id });

export const toOperatorActor = (id: string): Actor => ({ kind: 'operator', id });

/** The audited actions. */
export const auditAction = z.enum([
  'client.created',
  'client.changed',
  'client.removed',
  'client.approved',
  'client.rejected',
  'client.message-sent',
  'client.scopes-set',
  'client.secret-rotated',
  'key.created',
  'key.rotated',
  'key.revoked',
  'publishable-id.created',
  'publishable-id.revoked',
  'plan.set',
  'plan.viewed',
  'queue.listed',
  'audit.listed',
  'user.viewed',
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
