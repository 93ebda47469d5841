import { APPROVAL_SCOPES, type Scope } from '@app/dto';
import { z } from 'zod';

const revision = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

export const approvalForm = z.object({ revision }).catchall(z.string());
export type ApprovalForm = z.output<typeof approvalForm>;

export const parseApprovedScopes = (form: ApprovalForm): Scope[] =>
  APPROVAL_SCOPES.filter((scope) => form[`scope.${scope}`] === 'on');

export const rejectionForm = z.object({ revision, reason: z.string().trim().min(1).max(500) });
export type RejectionForm = z.output<typeof rejectionForm>;
