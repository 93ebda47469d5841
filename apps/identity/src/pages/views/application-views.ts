import type { IssuedSecrets } from '../../applications/credentials/form-submission.js';
import type { Scope } from '@app/dto';
import type { ClientStatus } from '../../applications/entities/client-application.entity.js';
import type { PublishableIdFormView, PublishableIdView } from '../portal/publishable-id-form.js';

export interface ListedApplication {
  id: string;
  name: string;
  status: ClientStatus;
  statusLabel: string;
  type: string;
}

export interface ScopeChoice {
  field: string;
  scope: Scope;
  label: string;
  checked: boolean;
  needsApproval: boolean;
}

/** The text of each field of an application's form, with validation errors by field. */
export interface ApplicationFormView {
  name: string;
  type: string;
  redirectUris: string;
  postLogoutRedirectUris: string;
  origins: string;
  iconUrl: string;
  implicit: boolean;
  idTokenAlg: string;
  tokenResponse: string;
  scopeGroups: { title: string; choices: ScopeChoice[] }[];
  /** The message to the operators who are to approve; in the form of a new application only. */
  message: string;
  problems: Record<string, string>;
}

/** The text of the form for a message, with its validation error. */
export interface MessageFormView {
  message: string;
  problems: { message?: string };
}

/** What an application waits for, and what owner and operators wrote about it. */
export interface ApprovalView {
  /** Absent while the application does not wait. */
  waiting?: { since: string; duration: string; scopes: string[] };
  messages: { heading: string; text: string }[];
  hasOwnerMessage: boolean;
  maxLength: number;
  form: MessageFormView;
}

/** A decision of an operator that the owner has not dismissed. */
export interface DecisionView {
  id: string;
  name: string;
  isApproved: boolean;
  time: string;
  message: string | null;
}

export interface KeyView {
  id: string;
  name: string;
  /** The first and last characters of the key. */
  preview: string;
  created: string;
  lastUsed: string;
  /** What the key may do, in words. */
  access: string;
  isReplaceable: boolean;
  /** Set for a key with an end, and after a rotation. */
  expires?: string;
}

/** The text of each field of the form for a new key, with validation errors by field. */
export interface KeyFormView {
  name: string;
  /** Whether the key may do less than the application. */
  isNarrow: boolean;
  end: string;
  ends: readonly { value: string; label: string }[];
  scopes: { field: string; scope: Scope; label: string; checked: boolean }[];
  problems: Record<string, string>;
}

export interface OverlapOption {
  seconds: number;
  label: string;
}

interface ApplicationView {
  application: ListedApplication;
  /** Why an operator rejected it. */
  reason: string | null;
  approval: ApprovalView | undefined;
  /** The name that users see; absent if no operator has reviewed the application. */
  approvedName?: string;
  /** Whether changes of the owner wait for approval. */
  hasWaitingValues: boolean;
  hasSecret: boolean;
  form: ApplicationFormView;
  keys: KeyView[];
  keyForm: KeyFormView;
  publishableIds: PublishableIdView[];
  publishableIdForm: PublishableIdFormView;
  overlaps: readonly OverlapOption[];
}

/** New credentials, which are shown only once. */
interface SecretsView {
  clientId: string;
  clientSecret?: string | null;
  apiKey?: string;
  endpoint?: IssuedSecrets['endpoint'];
  /** What to do with the credentials of an application that was registered just now. */
  next?: { firstCall: FirstCallView | undefined; explorerUrl: string };
}

export interface FirstCallView {
  command: string;
  /** What the command prints, in words. */
  answer: string;
  /** Whether the command is refused until an operator approves the application. */
  waits: boolean;
}

/** The templates of developers' pages. */
export interface ApplicationViews {
  application: ApplicationView;
  'new-application': { form: ApplicationFormView };
  secrets: SecretsView;
}
