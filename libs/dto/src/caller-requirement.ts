/**
 * What an operation requires of its caller (contract.md section 1): nothing, an authenticated client application, an
 * authenticated user, or either of them.
 */
export type CallerRequirement = 'none' | 'client' | 'user' | 'either';
