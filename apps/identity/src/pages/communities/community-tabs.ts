import type { CommunityTabsView } from '../views/community-views.js';
import type { PortalCommunity } from './community-api.js';

export type CommunityTab =
  | 'overview'
  | 'roles'
  | 'rules'
  | 'members'
  | 'invitations'
  | 'administrators'
  | 'applications'
  | 'charts'
  | 'settings';

/** The pages of a community in the order of their tabs. A page that is not built has no entry. */
const TABS: readonly { readonly tab: CommunityTab; readonly text: string; readonly path: string }[] = [
  { tab: 'overview', text: 'Overview', path: '' },
  { tab: 'roles', text: 'Roles', path: '/roles' },
  { tab: 'rules', text: 'Rules', path: '/rules' },
  { tab: 'charts', text: 'Charts', path: '/charts' },
];

export const toCommunityPath = (communityId: string): string =>
  `/portal/communities/${encodeURIComponent(communityId)}`;

/** The path of one of the pages of a community; undefined for one that is not built. */
export function findTabPath(communityId: string, tab: CommunityTab): string | undefined {
  const found = TABS.find((each) => each.tab === tab);
  return found && toCommunityPath(communityId) + found.path;
}

/** The page of a member who does not run the community. */
export const toMembershipPath = (communityId: string): string =>
  `/portal/memberships/${encodeURIComponent(communityId)}`;

/** The links between the pages of a community, for those who run it. Pages pass them to `community-tabs.eta` as `tabs`. */
export function toCommunityTabs(
  { id, status }: Pick<PortalCommunity, 'id' | 'status'>,
  current: CommunityTab,
): CommunityTabsView {
  const base = toCommunityPath(id);
  return {
    base,
    isSuspended: status === 'suspended',
    tabs: TABS.map(({ tab, text, path }) => ({ href: base + path, text, isCurrent: tab === current })),
  };
}
