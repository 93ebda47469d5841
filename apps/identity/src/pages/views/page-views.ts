import type { UserCredential } from '@app/dto';
import type { PlatformLinkRequest } from '../../platform-wallets/platform-member.service.js';
import type { LogoutReturn } from '../login/logout.controller.js';
import type { ApplicationViews, DecisionView, ListedApplication } from './application-views.js';
import type { CommunityViews } from './community-views.js';
import type { EndpointViews } from './endpoint-views.js';
import type { OperatorViews } from './operator-views.js';

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
  /** A form was sent after its session had ended. */
  hasEnded?: boolean;
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
  /** Checks that show what has become of roles by a sale, the one that the user most likely wants first. */
  checks: { name: string; checkPath: string; isOfAll: boolean }[];
  /** Communities cannot be looked up now. */
  isAway: boolean;
  /** The path of the page, which keeps where the user came from. */
  path: string;
  /** The community from whose page its member came. */
  origin?: { id: string; name: string; href: string; asksForBadges: boolean };
  /** What was sold just now. */
  sold?: { tokenId: number; holder: string };
}

/** The data of each template. */
export interface PageViews extends CommunityViews, ApplicationViews, EndpointViews, OperatorViews {
  'test-wallet': TestWalletView;
  passkeys: PasskeysView;
  'passkey-reviews': PasskeyReviewsView;
  'asset-claims': { claims: AssetClaimView[] };
  connections: { connections: Connection[] };
  consent: ConsentView;
  continue: ContinueView;
  'front-door': object;
  login: LoginView;
  logout: LogoutView;
  portal: PortalView;
  problem: ProblemView;
  profile: ProfileView;
  'revoke-credential': RevokeCredentialView;
  /** `returns`: the login leads back to the page on which the user signed out. */
  'signed-out': { loginPath: string; returns: boolean };
  'verifiable-credentials': { credentials: CredentialView[] };
  'wallet-other-accounts': { wallet: OwnWalletView };
  wallets: { wallets: readonly OwnWalletView[]; maxWallets: number; canChange: boolean };
  'wallet-link': PlatformLinkRequest & { communityName: string };
}
