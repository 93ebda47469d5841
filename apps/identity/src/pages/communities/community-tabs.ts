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
  { tab: 'members', text: 'Members', path: '/members' },
  { tab: 'invitations', text: 'Invitations', path: '/invitations' },
  { tab: 'administrators', text: 'Administrators', path: '/administrators' },
  { tab: 'applications', text: 'Applications', path: '/applications' },
  { tab: 'charts', text: 'Charts', path: '/charts' },
  { tab: 'settings', text: 'Settings', path: '/settings' },
];

export const toCommunityPath = (communityId: string): string =>
  `/portal/communities/${encodeURIComponent(communityId)}`;

export const toRolesPath = (communityId: string): string => `${toCommunityPath(communityId)}/roles`;

export const toRulesPath = (communityId: string): string => `${toCommunityPath(communityId)}/rules`;

export const toMembersPath = (communityId: string): string => `${toCommunityPath(communityId)}/members`;

export const toInvitationsPath = (communityId: string): string =>
  `${toCommunityPath(communityId)}/invitations`;

/** The path of one of the pages of a community; undefined for one that is not built. */
export function findTabPath(communityId: string, tab: CommunityTab): string | undefined {
  const found = TABS.find((each) => each.tab === tab);
  return found && toCommunityPath(communityId) + found.path;
}

/** The page of a member who does not run the community. */
export const toMembershipPath = (communityId: string): string =>
  `/portal/memberships/${encodeURIComponent(communityId)}`;

/** The page on which people join a community. @param code needed unless the community is public */
export const toInvitationPath = (communityId: string, code?: string): string =>
  ['/portal/invitations', communityId, ...(code === undefined ? [] : [code])]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');

/** The page on which somebody accepts or declines a community that its owner offers. */
export const toOfferPath = (communityId: string): string =>
  `/portal/ownership-offers/${encodeURIComponent(communityId)}`;

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
