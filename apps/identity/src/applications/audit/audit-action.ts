import { z } from 'zod';

/** What can be done that somebody may ask about later. */
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
]);
export type AuditAction = z.infer<typeof auditAction>;
