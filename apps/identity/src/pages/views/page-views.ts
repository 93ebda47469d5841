import type { AccountPolicyView } from './account-policy-view.js';
import type { Scope, UserCredential } from '@app/dto';
import type { PlatformLinkRequest } from '../../platform-wallets/platform-member.service.js';
import type { LogoutReturn } from '../login/logout.controller.js';
import type { ClientStatus } from '../../applications/entities/client-application.entity.js';
import type { PublishableIdFormView, PublishableIdView } from '../portal/publishable-id-form.js';
import type { CommunityViews } from './community-views.js';

/** An application as the login and consent pages show it. */
export interface ApplicationSummary {
  /** The approved name; the host, or a native application's client id, if no operator has reviewed the application. */
  name: string;
  /** The host to which the browser goes, or the scheme of a native application with its colon. */
  host: string;
  isNative: boolean;
  isReviewed: boolean;
}

interface LoginView {
  /** The application that requests the login; absent for a login to the portal. */
  application?: ApplicationSummary;
  /** The path to load after the login. */
  to: string;
  /** The authorization request that requires the login. */
  uid?: string;
  offersPasskeys: boolean;
}

interface PasskeysView {
  isAvailable: boolean;
  /** Whether a passkey may be added without another login. */
  isLoginFresh: boolean;
  passkeys: readonly PasskeyView[];
}

export interface PasskeyView {
  id: string;
  name: string;
  isBackedUp: boolean;
  /** No login with the wallet has kept it since it was added. */
  isNew: boolean;
  /** The passkey signs nobody in until a login with the wallet keeps it. */
  isBlocked: boolean;
  added: string;
}

interface PasskeyReviewsView {
  /** The page to load afterwards. */
  to: string;
  /** The ids of the shown passkeys, separated by spaces. */
  ids: string;
  passkeys: readonly PasskeyView[];
}

interface LogoutView {
  /** The application that began the logout, if it has registered where to return. */
  back?: LogoutReturn & { state?: string | undefined };
}

/** A page at which a person can go on. */
export interface NextPage {
  href: string;
  text: string;
}

interface ProblemView {
  message: string;
  /** What a person can do now. */
  advice: string;
  /** The first is the most likely one. */
  next: readonly NextPage[];
  /** Whether a form was submitted and not accepted, which the tab may keep. */
  keepsForm: boolean;
  /** The id that a support request names. */
  requestId: string;
}

/** A usage bar. */
export interface UsageMeter {
  name: string;
  /** `1,204 of 10,000`, `currently unknown, of 10,000`, `3`. */
  label: string;
  /** 0 to 100; absent without a limit or a known usage. */
  percent?: number;
  isHigh: boolean;
}

/** Requests of one hour that were refused for the same reason. */
interface RefusalView {
  hour: string;
  application: string;
  count: string;
  reason: string;
}

export interface UsageView {
  plan: string;
  meters: UsageMeter[];
  refusals: RefusalView[];
}

export interface ListedApplication {
  id: string;
  name: string;
  status: ClientStatus;
  statusLabel: string;
  type: string;
}

/** A wallet of the user that another user linked too. */
interface SharedWalletView {
  /** The id of the connection. */
  id: string;
  accountId: string;
  /** The short form of `accountId`. */
  account: string;
  since: string;
}

/** A wallet of the user. */
export interface OwnWalletView {
  id: string;
  /** CAIP-10; `account` is its short form. */
  accountId: string;
  account: string;
  /** The chains on which it counts, in words. */
  chains: string;
  linked: string;
  /** Another account has linked it, too. */
  isShared: boolean;
  /** The user signed in with it. */
  isOfLogin: boolean;
}

export interface AccountNoticesView {
  /** Passkeys that no login with the wallet has kept since they were added or blocked. */
  passkeysToReview: readonly PasskeyView[];
  sharedWallets: SharedWalletView[];
}

interface PortalView {
  notices: AccountNoticesView;
  decisions: DecisionView[];
  applications: ListedApplication[];
  usage: UsageView;
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

export interface ConsentChoice {
  field: string;
  scope: string;
  label: string;
  /** The user cannot deselect it. */
  isRequired: boolean;
}

interface ConsentView {
  uid: string;
  application: ApplicationSummary & { iconUrl: string | null };
  clientId: string;
  choices: ConsentChoice[];
  problem?: string;
}

/** Shown while the browser returns to the application. */
export interface ContinueView {
  application: ApplicationSummary;
  to: string;
}

/** An application that may act for the user. */
export interface Connection {
  clientId: string;
  /** The approved name; the client id if no operator has reviewed the application. */
  name: string;
  isReviewed: boolean;
  /** The consents and logins behind the connection. */
  grounds: string[];
  /** Descriptions of the granted scopes. */
  permissions: string[];
}

/** A valid asset claim of the user. */
export interface AssetClaimView {
  id: string;
  /** CAIP-10; `account` is its short form. */
  accountId: string;
  account: string;
  /** CAIP-19. */
  assets: string[];
  created: string;
  expires: string;
}

/** A verifiable credential of the user that has not expired. */
export interface CredentialView extends Omit<UserCredential, 'createdTime' | 'expiresTime'> {
  /** CAIP-10; `account` is its short form. */
  accountId: string | undefined;
  created: string;
  expires: string;
}

export interface RevokeCredentialView {
  isRevoked?: true;
  problem?: string;
}

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

/** The text of the form of a profile, as stored or as submitted. */
export interface ProfileFormView {
  name: string;
  username: string;
  picture: string;
  /** Validation errors by field. */
  problems: Record<string, string>;
}

interface ProfileView {
  form: ProfileFormView;
  /** The name, else the username, else the shortened address. */
  shownName: string;
  initial: string;
  picture: string | undefined;
  maxChanges: number;
}

/** A demo token of the local chain. */
interface BadgeView {
  tokenId: number;
  /** Name of the account; undefined where another one holds it. */
  holder: string | undefined;
  /** Names of the accounts that it can be sold to. */
  others: string[];
  /** It was sold just now. */
  isSold: boolean;
}

interface TestWalletView {
  /** Undefined on a chain without the demo collection. */
  contractAddress: string | undefined;
  accounts: { name: string; address: string }[];
  badges: BadgeView[];
  /** The communities that the user runs, with the pages on which rules about the collection are made. */
  ruleCommunities: { name: string; href: string }[];
  /** What was sold just now, and the checks that show what has become of roles by it. */
  sold?: {
    tokenId: number;
    holder: string;
    checks: { name: string; checkPath: string; isOfAll: boolean }[];
  };
}

/** The data of each template. */
export interface PageViews extends CommunityViews {
  'test-wallet': TestWalletView;
  passkeys: PasskeysView;
  'passkey-reviews': PasskeyReviewsView;
  'account-policy': AccountPolicyView;
  'account-policy-search': object;
  application: ApplicationView;
  approvals: { pending: PendingApprovalView[]; unreviewed: PendingApprovalView[] };
  'asset-claims': { claims: AssetClaimView[] };
  audit: AuditView;
  connections: { connections: Connection[] };
  consent: ConsentView;
  continue: ContinueView;
  'freeze-confirmation': {
    what: string;
    effect: string;
    button: string;
    form: Record<'scope' | 'subject' | 'reason', string>;
  };
  'front-door': object;
  freezes: { freezes: FreezeView[]; form: FreezeFormView };
  login: LoginView;
  logout: LogoutView;
  'new-application': { form: ApplicationFormView };
  plan: PlanView;
  'plan-search': object;
  portal: PortalView;
  problem: ProblemView;
  profile: ProfileView;
  'revoke-credential': RevokeCredentialView;
  search: SearchView;
  secrets: SecretsView;
  'signed-out': object;
  suspension: { community: SuspensionView; form: SuspensionFormView };
  suspensions: { communities: SuspensionView[] };
  'verifiable-credentials': { credentials: CredentialView[] };
  'wallet-other-accounts': { wallet: OwnWalletView };
  wallets: { wallets: readonly OwnWalletView[]; maxWallets: number; canChange: boolean };
  'wallet-link': PlatformLinkRequest & { communityName: string };
}
