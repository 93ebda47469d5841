import type { Principal } from '@app/auth';
import type { CommunitySummary, Membership } from './community-record.js';

/** The user or the client application whose membership is looked up; both null for an anonymous caller. */
export interface Viewer {
  readonly userId: string | null;
  readonly clientId: string | null;
}

/** Administrators and attached client applications see everything (contract.md section 7). */
export const canManage = ({ isAdministrator, isAttachedClient }: Membership): boolean =>
  isAdministrator || isAttachedClient;

export function canView(
  { visibility, isSuspended }: Pick<CommunitySummary, 'visibility' | 'isSuspended'>,
  viewer: Membership,
): boolean {
  if (isSuspended) return canManage(viewer);
  switch (visibility) {
    case 'public':
      return true;
    case 'members':
      return canManage(viewer) || viewer.isMember;
    case 'hidden':
      return canManage(viewer);
  }
}

export function toViewer(principal: Principal): Viewer {
  if (principal.kind !== 'caller') return { userId: null, clientId: null };
  const { user, client } = principal;
  // The user holds this token, so it must not grant what the application may do for itself.
  return user ? { userId: user.id, clientId: null } : { userId: null, clientId: client?.id ?? null };
}
