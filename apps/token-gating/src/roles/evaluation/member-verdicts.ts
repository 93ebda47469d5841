import type { TokenGatingExplanation } from '@app/dto';
import type { RoleVerdict } from '../../checks/roles-response.js';

/** The verdicts of one member: one per role that the rules name, in the order of their first mention. */
export interface MemberVerdicts {
  readonly userId: string;
  readonly roles: readonly RoleVerdict[];
  /** Why each rule is granted or not, in order; only where that was asked. */
  readonly explanations?: readonly TokenGatingExplanation[];
}

/** True also where the rules name no role: then it is known that the member holds none. */
export const hasDeterminedRole = ({ roles }: MemberVerdicts): boolean =>
  roles.length === 0 || roles.some(({ kind }) => kind !== 'undetermined');

export const hasUndeterminedRole = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ kind }) => kind === 'undetermined');

/** Whether a role is undetermined and another evaluation may determine it. */
export const hasRetryableRole = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ kind, errors }) => kind === 'undetermined' && errors.some(({ retryable }) => retryable));
