import { formatDay } from '../views/format-values.js';
import type { CommunityViews, NextStep } from '../views/community-views.js';
import type { ManagedCommunity } from './community-page-renderer.js';
import { findTabPath, toCommunityTabs } from './community-tabs.js';
import { VISIBILITIES } from './visibilities.js';

export const formatCount = (count: number): string => count.toLocaleString('en-GB');

export const describeMembers = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'member' : 'members'}`;

/** What a community is and what its manager has to do next. */
export function toOverview(
  community: ManagedCommunity,
  userId: string,
): CommunityViews['community-overview'] {
  const { visibility, stats, roles, tpcs = [], createdTime, ownerId } = community;
  return {
    tabs: toCommunityTabs(community, 'overview'),
    visibility: VISIBILITIES[visibility],
    memberCount: formatCount(stats.memberCount),
    roleCount: formatCount(roles.length),
    ruleCount: formatCount(tpcs.length),
    since: formatDay(new Date(createdTime)),
    isOwner: ownerId === userId,
    steps: listSteps(community),
  };
}

function listSteps({ id, visibility, stats, roles, tpcs = [] }: ManagedCommunity): NextStep[] {
  const isHidden = visibility === 'hidden';
  return [
    {
      isDone: roles.length > 0,
      text: 'Create a role',
      explanation: 'A role is what people get, such as “Collector”.',
      href: findTabPath(id, 'roles'),
    },
    {
      isDone: tpcs.length > 0,
      text: 'Make a rule',
      explanation: 'A rule says what somebody must hold to get a role.',
      href: findTabPath(id, 'rules'),
    },
    {
      isDone: stats.memberCount > 0,
      text: isHidden ? 'Add members' : 'Invite people',
      explanation: isHidden
        ? 'Nobody can join a hidden community by themselves: attach an application that adds members.'
        : 'Whoever opens your invitation link sees what the roles ask for, and joins.',
      href: findTabPath(id, isHidden ? 'applications' : 'invitations'),
    },
  ];
}
