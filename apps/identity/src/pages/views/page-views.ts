import type { ConsentChoice } from '../consent/consent-form.js';
import type { Connection } from '../portal/connections.js';
import type { AwaitingView } from '../portal/approval-view.js';
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
  /** Another way out than to the portal. */
  link?: { href: string; text: string };
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

export interface ConnectionsView {
  connections: Connection[];
}

/** What each template is given. */
export interface PageViews {
  application: ApplicationView;
  approvals: { waiting: AwaitingView[] };
  connections: ConnectionsView;
  consent: ConsentView;
  login: LoginView;
  'new-application': { form: ApplicationFormView };
  portal: PortalView;
  problem: ProblemView;
  secrets: SecretsView;
}
