/**
 * Who must be named for an operation to pass (contract.md section 1): nobody, a client application, a user, or
 * one of the two.
 */
export const CALLER_REQUIREMENTS = ['none', 'client', 'user', 'either'] as const;
export type CallerRequirement = (typeof CALLER_REQUIREMENTS)[number];
