import type { MemberVerdicts } from '../../evaluation/evaluate-members.js';

/** Whether a member has roles that could not be told. */
export const isIncomplete = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ kind }) => kind === 'undetermined');

/** Whether asking again may tell them. */
export const isTransient = ({ roles }: MemberVerdicts): boolean =>
  roles.some(({ kind, errors }) => kind === 'undetermined' && errors.some(({ retryable }) => retryable));
