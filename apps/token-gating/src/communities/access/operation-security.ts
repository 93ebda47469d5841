import type { DeclaredError } from '@app/openapi';

/** Users and client applications; CommunityAccessService decides what each of them may see. */
export const communityRead = { caller: 'either', scope: 'community:read' } as const;

/** Signed-in users only. */
export const communityWriteByUser = { caller: 'user', scope: 'community:write' } as const;

/** Signed-in users, and client applications that are attached to the community. */
export const communityWriteByEither = { caller: 'either', scope: 'community:write' } as const;

/** Attached client applications only. */
export const communityWriteByClient = { caller: 'client', scope: 'community:write' } as const;

/** Errors of CommunityAccessService, by what it requires. */
export const VIEWER_ERRORS: readonly DeclaredError[] = ['404 community_not_found'];
export const MANAGER_ERRORS: readonly DeclaredError[] = [...VIEWER_ERRORS, '403 administrator_required'];
export const DELETER_ERRORS: readonly DeclaredError[] = [...VIEWER_ERRORS, '403 owner_required'];
/** Errors of changes, which a suspended community refuses. */
export const CHANGE_ERRORS: readonly DeclaredError[] = [...VIEWER_ERRORS, '403 community_suspended'];
export const ADMINISTRATOR_ERRORS: readonly DeclaredError[] = [
  ...CHANGE_ERRORS,
  '403 administrator_required',
];
export const OWNER_ERRORS: readonly DeclaredError[] = [...CHANGE_ERRORS, '403 owner_required'];
