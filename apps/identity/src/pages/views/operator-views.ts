import type { ClientStatus } from '../../applications/entities/client-application.entity.js';
import type { AccountPolicyView } from './account-policy-view.js';
import type { ListedApplication } from './application-views.js';

export interface ReviewedAddress {
  text: string;
  /** Whether the address waits beside approved ones. */
  isNew: boolean;
}

/** An application that an operator may approve. */
export interface PendingApprovalView {
  id: string;
  name: string;
  owner: { id: string; name: string };
  /** What the owner changes of the approved name and icon. Absent if no operator has reviewed the application. */
  approved?: { name: string; iconUrl: string | null };
  iconUrl: string | null;
  /** A description of the client type. */
  type: string;
  redirectUris: ReviewedAddress[];
  postLogoutRedirectUris: ReviewedAddress[];
  /** Origins for Sign-in with Ethereum. */
  origins: ReviewedAddress[];
  /** Whether the implicit flow is enabled. */
  implicit: boolean;
  since: string;
  /** How long the application has waited. */
  duration: string;
  ownerMessage: string | null;
  operatorMessage: string | null;
  revision: number;
  scopes: { field: string; scope: string; label: string }[];
  /** What an operator typed into one of its forms, with its validation error. */
  problem?: { form: ApprovalForm; text: string; message: string };
}

/** The forms about an application that waits. */
export type ApprovalForm = 'approve' | 'message' | 'reject';

export interface AuditRecordView {
  actor: string;
  action: string;
  time: string;
  /** The id of a client application or a tenant. */
  target: string;
  /** JSON; empty without details. */
  details: string;
}

interface AuditFilterView {
  who: string;
  what: string;
  from: string;
  to: string;
  on: string;
}

/** What operators have found, at most as many of each kind as are shown. */
export interface SearchView {
  q: string;
  problem?: string;
  /** The ENS name that was searched for, and its address. */
  named?: { name: string; address: string };
  found?: {
    applications: { id: string; name: string; status: ClientStatus; tenantId: string }[];
    tenants: { id: string; name: string; userId: string | null; plan: string; isOfUser: boolean }[];
    users: { id: string; name: string | null; username: string | null; accountId: string | null }[];
    /** Whether there are more. */
    isCut: boolean;
  };
}

interface AuditView {
  records: AuditRecordView[];
  filter: AuditFilterView;
  isFiltered: boolean;
  /** All actions with their descriptions. */
  actions: { value: string; text: string }[];
  /** Set if the page shows the records of one target only. */
  target?: string;
  /** The path of the next page; absent on the last one. */
  olderPath?: string;
}

/** The text of each field of the plan form, with validation errors by field. */
interface PlanFormView {
  plan: string;
  perSecond: string;
  perMonth: string;
  maxClientApplications: string;
  maxApiKeys: string;
  problems: Record<string, string>;
}

export interface PlanView {
  id: string;
  name: string;
  /** The user who owns the plan; null for a tenant that an operator created. */
  userId: string | null;
  applications: ListedApplication[];
  form: PlanFormView;
}

export interface FreezeView {
  id: string;
  what: string;
  /** An address, a client id or a chain; empty for everything. */
  subject: string;
  reason: string;
  since: string;
}

/** The text of each field of the form that freezes, with validation errors by field. */
export interface FreezeFormView {
  scope: string;
  subject: string;
  reason: string;
  problems: Record<string, string>;
}

/** A community as operators see it. */
export interface SuspensionView {
  id: string;
  name: string;
  ownerId: string;
  visibility: string;
  members: string;
  /** Absent while the community is active. */
  suspension?: { reason: string; since: string };
}

/** The text of the form that suspends a community, with validation errors by field. */
export interface SuspensionFormView {
  reason: string;
  problems: Record<string, string>;
}

/** The templates of operators' pages. */
export interface OperatorViews {
  'account-policy': AccountPolicyView;
  'account-policy-search': object;
  approvals: { pending: PendingApprovalView[]; unreviewed: PendingApprovalView[] };
  audit: AuditView;
  'freeze-confirmation': {
    what: string;
    effect: string;
    button: string;
    form: Record<'scope' | 'subject' | 'reason', string>;
  };
  freezes: { freezes: FreezeView[]; form: FreezeFormView };
  plan: PlanView;
  'plan-search': object;
  search: SearchView;
  suspension: { community: SuspensionView; form: SuspensionFormView };
  suspensions: { communities: SuspensionView[] };
}
