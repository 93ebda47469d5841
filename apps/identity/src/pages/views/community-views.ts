import type { RuleViews } from './rule-views.js';

/** The links between the pages of a community. */
export interface CommunityTabsView {
  /** The path of the community. */
  base: string;
  isSuspended: boolean;
  tabs: { href: string; text: string; isCurrent: boolean }[];
}

/** The text of a form, as stored or as submitted, with validation errors by field. */
export interface CommunityFormView {
  name: string;
  visibility: string;
  problems: Record<string, string>;
}

interface VisibilityChoice {
  value: string;
  text: string;
  explanation: string;
}

export interface NextStep {
  isDone: boolean;
  text: string;
  explanation: string;
  /** The page on which it is done; absent where there is none. */
  href?: string | undefined;
}

interface CommunityOverviewView {
  tabs: CommunityTabsView;
  /** Who can see the community, in words. */
  visibility: Pick<VisibilityChoice, 'text' | 'explanation'>;
  memberCount: string;
  roleCount: string;
  ruleCount: string;
  since: string;
  /** Whether the signed-in user owns the community. */
  isOwner: boolean;
  steps: NextStep[];
}

/** The controls of a community's charts. */
export interface PeriodView {
  /** The path of the page. */
  path: string;
  range: string;
  interval: string;
  timeZone: string;
  /** The first and the last day of a chosen range; empty for a named one. */
  from: string;
  to: string;
  problem?: string;
  /** The query of the reports' URLs. */
  query: string;
  ranges: { href: string; text: string; isCurrent: boolean }[];
  intervals: { value: string; text: string }[];
  timeZones: string[];
}

interface CommunityChartsView {
  tabs: CommunityTabsView;
  period: PeriodView;
}

export interface CommunityListView {
  /** Communities that the user owns or administers. */
  run: {
    href: string;
    name: string;
    /** What the user is to it. */
    note: string;
    visibility: string;
    isSuspended: boolean;
    members: string;
  }[];
  hasMoreRun: boolean;
  /** Communities that the user is a member of. */
  joined: { href: string; name: string; roles: string }[];
  hasMoreJoined: boolean;
}

/** The text of the form of a role, as stored or as submitted, with validation errors by field. */
export interface RoleFormView {
  name: string;
  /** A color of CSS; empty for a role without one. */
  color: string;
  problems: Record<string, string>;
}

interface CommunityRolesView {
  tabs: CommunityTabsView;
  roles: { href: string; name: string; color: string; rules: string }[];
  form: RoleFormView;
}

interface CommunityRoleView {
  tabs: CommunityTabsView;
  path: string;
  form: RoleFormView;
  rules: string[];
}

interface DeletedRoleView {
  tabs: CommunityTabsView;
  path: string;
  name: string;
  /** Sentences for the rules that give the role, which have to go first. */
  rules: string[];
  /** Who has the role, in words. */
  holders: string;
}

/** The data of the templates of communities. */
export interface CommunityViews extends RuleViews {
  communities: CommunityListView;
  'new-community': { form: CommunityFormView; choices: VisibilityChoice[] };
  'community-overview': CommunityOverviewView;
  'community-charts': CommunityChartsView;
  'community-roles': CommunityRolesView;
  'community-role': CommunityRoleView;
  'delete-role': DeletedRoleView;
}
