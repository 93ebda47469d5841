import type { AccountNoticesView } from './page-views.js';
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
  /** The form was sent before, and may have been carried out. */
  mayBeDone?: boolean;
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

/** Communities that the user is a member of. */
export interface JoinedCommunitiesView {
  joined: { href: string; name: string; roles: string }[];
  hasMoreJoined: boolean;
}

export interface CommunityListView extends JoinedCommunitiesView {
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
  /** Communities that others offer to the user. */
  offers: { href: string; name: string; from: string }[];
}

interface CommunitiesView {
  notices: AccountNoticesView;
  /** Absent while communities cannot be looked up. */
  list: CommunityListView | undefined;
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
  isHeld: boolean;
}

/** What a user is called. */
export interface PersonView {
  /** The name, else the shortened address. */
  title: string;
  isNamed: boolean;
  /** The shortened address, or the id on the platform. */
  account: string;
  /** CAIP-10. */
  accountId: string | undefined;
  /** The name of the account in the test wallet of a local profile. */
  testAccount?: string;
}

interface RoleView {
  name: string;
  color: string;
}

export interface MemberRowView {
  href: string;
  person: PersonView;
  /** `owner` or `administrator`; empty for others. */
  position: string;
  joined: string;
  roles: RoleView[];
}

/** A check of all members. */
export interface CheckView {
  isRunning: boolean;
  /** What it has done, in words. */
  text: string;
  done: number;
  total: number;
}

interface CommunityMembersView {
  tabs: CommunityTabsView;
  /** What was searched for. */
  text: string;
  /** What became of the ENS name that was searched for. */
  named: { name: string; address: string } | { problem: string } | undefined;
  members: MemberRowView[];
  /** The path of the next page; absent on the last one. */
  nextPath?: string;
  memberCount: string;
  /** How roles follow what wallets hold. */
  following: string;
  check: CheckView | undefined;
  /** Why no check of all members was started. */
  problem: string | undefined;
}

/** Why a member has a role, or does not. */
export interface RoleReasonsView extends RoleView {
  /** When a member gained and lost the role, as far as that is kept. */
  history?: string;
  /** Absent where nobody was checked. */
  verdict?: { state: 'held' | 'missing' | 'unknown'; text: string };
  /** What each rule asks for and, of somebody who was checked, whether and why it is met. */
  rules: {
    text: string;
    /** How deep a condition stands within the groups of its rule; 0 by default. */
    level?: number;
    reason?: { mark: 'yes' | 'no' | 'unknown'; markText: string; text: string };
  }[];
}

interface CommunityMemberView {
  tabs: CommunityTabsView;
  path: string;
  person: PersonView;
  /** The whole address of a wallet; absent where the member is none. */
  address: string | undefined;
  roles: RoleReasonsView[];
  /** Why the member could not be checked. */
  problem?: string;
  /** When the member was checked; absent where the roles are those that are stored. */
  checked?: string;
  /** Absent where the user may not remove the member. */
  removal: { mayReturn: string } | undefined;
}

interface CommunityInvitationsView {
  tabs: CommunityTabsView;
  visibility: string;
  /** Absent where nobody can be invited. */
  link?: string;
  /** The path of the page to which the link leads. */
  linkPath?: string;
}

interface AdministratorView {
  person: PersonView;
  since: string;
  isOwner: boolean;
  isSelf: boolean;
  /** Absent where the signed-in user may not remove the administrator. */
  removePath?: string;
}

interface CommunityAdministratorsView {
  tabs: CommunityTabsView;
  isOwner: boolean;
  administrators: AdministratorView[];
  form: {
    person: string;
    /** The ENS name of the address, which the person has typed. */
    name?: string;
    problems: Record<string, string>;
  };
  takesNames: boolean;
}

interface CommunitySettingsView {
  tabs: CommunityTabsView;
  isOwner: boolean;
  /** The open offer of the community to a new owner. */
  offer: { to: PersonView; until: string } | undefined;
  /** Administrators to whom the owner may offer the community. */
  candidates: { id: string; text: string }[];
  offerProblem: string | undefined;
  form: CommunityFormView;
  choices: VisibilityChoice[];
  name: string;
  memberCount: string;
  roleCount: string;
  deletion: { name: string; problem: string | undefined };
}

interface AttachedApplicationView {
  /** The approved name, else the client id. */
  name: string;
  clientId: string;
  isReviewed: boolean;
  since: string;
  /** Whether it gets role changes, in words. */
  callback: string;
  isHealthy: boolean;
  detachPath: string;
}

interface CommunityApplicationsView {
  tabs: CommunityTabsView;
  applications: AttachedApplicationView[];
  /** Applications of the signed-in user. */
  choices: { id: string; name: string }[];
  form: { clientId: string; callbackUrl: string; problems: Record<string, string> };
}

/** A community as a member sees it who does not run it. */
interface MembershipView {
  path: string;
  communityId: string;
  /** Absent where members cannot see the community. */
  roles?: RoleReasonsView[];
  /** Why the member could not be checked. */
  problem?: string;
  checked?: string;
}

/** What a person reads whose membership has ended. */
interface EndedMembershipView {
  sentence: string;
  /** Absent where the person could not see the community. */
  name: string | undefined;
  advice: string;
  /** The page on which everyone can join; absent for other communities. */
  joinPath: string | undefined;
}

/** What somebody takes over who accepts a community. */
interface OwnershipOfferView {
  /** The revision of the rules that the page shows. */
  revision: string;
  path: string;
  name: string;
  from: PersonView;
  until: string;
  members: string;
  roles: RoleReasonsView[];
  /** What checking all members takes, in words. */
  cost: string;
  problem: string | undefined;
}

/** A community as people see it whom somebody invited. */
interface InvitationView {
  path: string;
  name: string;
  /** The address is shortened. */
  owner: { name?: string | undefined; address?: string | undefined };
  members: string;
  isSignedIn: boolean;
  /** Whether the page says what the signed-in user would get. */
  isChecked: boolean;
  isMember: boolean;
  /** False for somebody who was removed. */
  mayJoin: boolean;
  /** What each role asks for; of a signed-in user also whether that is met. */
  roles: RoleReasonsView[];
  /** Why joining was refused. */
  refusal: string | undefined;
  membershipPath: string;
  loginPath: string;
}

/** The data of the templates of communities. */
export interface CommunityViews extends RuleViews {
  communities: CommunitiesView;
  'new-community': {
    form: CommunityFormView;
    choices: VisibilityChoice[];
    /** Why no community can be created now. */
    limit: string | undefined;
    /** How many communities without an approved application a user may own; absent where that is not bounded. */
    maxCommunities: number | undefined;
    /** False where whatever was filled in would be refused. */
    showsForm: boolean;
  };
  'community-overview': CommunityOverviewView;
  'community-charts': CommunityChartsView;
  'community-roles': CommunityRolesView;
  'community-role': CommunityRoleView;
  'delete-role': DeletedRoleView;
  'community-members': CommunityMembersView;
  'community-member': CommunityMemberView;
  'community-invitations': CommunityInvitationsView;
  'community-administrators': CommunityAdministratorsView;
  'community-settings': CommunitySettingsView;
  'community-applications': CommunityApplicationsView;
  /** The list is absent while communities cannot be looked up. */
  memberships: { list: JoinedCommunitiesView | undefined };
  membership: MembershipView;
  'membership-ended': EndedMembershipView;
  invitation: InvitationView;
  'invitation-ended': object;
  'ownership-offer': OwnershipOfferView;
}
