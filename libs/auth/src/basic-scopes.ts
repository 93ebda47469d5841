import type { Scope } from '@app/dto';

/** What any client application may ask a user for, and what is asked for when nothing is named (contract.md section 4). */
export const BASIC_SCOPES: readonly Scope[] = ['$public', 'user:read'];
