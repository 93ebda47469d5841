import type { ConsentChoice } from '../consent/consent-form.js';
import type { Connection } from '../portal/connection.service.js';
import type { PendingApprovalView } from '../operator-portal/approval-view.js';
import type { AuditView } from '../operator-portal/audit-view.js';
import type { PlanView } from '../operator-portal/plan-view.js';
import type { ApplicationFormView, KeyView, ListedApplication } from '../portal/application-view.js';
import type { UsageView } from '../portal/usage-view.js';

export interface LoginView {
  /** The application that wants to know who it is; absent for the portal. */
  application?: { name: string; host: string };
  /** Where the browser goes when somebody has signed in. */
  to: string;
  /** The authorization request that asks for the login. */
  uid?: string;
}

export interface ProblemView {
  message: string;
  /** For whoever asks us about it. */
  requestId: string;
}

export interface PortalView {
  applications: ListedApplication[];
  usage: UsageView;
}

export interface ApplicationView {
  application: ListedApplication;
  /** Why an operator refused it. */
  reason: string | null;
  hasSecret: boolean;
  form: ApplicationFormView;
  keys: KeyView[];
  overlaps: readonly { seconds: number; words: string }[];
}

/** Shown once. */
export interface SecretsView {
  clientId: string;
  clientSecret?: string | null;
  apiKey?: string;
}

export interface ConsentView {
  uid: string;
  application: { name: string; host: string; iconUrl: string | null };
  choices: ConsentChoice[];
  problem?: string;
}

/** After a decision. */
export interface ContinueView {
  application: { name: string; host: string };
  to: string;
}

export interface ConnectionsView {
  connections: Connection[];
}

export interface EndCredentialView {
  hasEnded?: true;
  problem?: string;
}

/** What each template is given. */
export interface PageViews {
  application: ApplicationView;
  approvals: { waiting: PendingApprovalView[] };
  audit: AuditView;
  connections: ConnectionsView;
  consent: ConsentView;
  'end-credential': EndCredentialView;
  'going-on': ContinueView;
  login: LoginView;
  'new-application': { form: ApplicationFormView };
  plan: PlanView;
  'plan-search': object;
  portal: PortalView;
  problem: ProblemView;
  secrets: SecretsView;
}
