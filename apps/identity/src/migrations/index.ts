import { ClientApplications1795132800000 } from './1795132800000-client-applications.js';
import { TokenKeys1795132800010 } from './1795132800010-token-keys.js';
import { RevokedTokens1795132800011 } from './1795132800011-revoked-tokens.js';
import { Users1795132800012 } from './1795132800012-users.js';
import { SignInChallenges1795132800013 } from './1795132800013-sign-in-challenges.js';
import { AeTokens1795132800014 } from './1795132800014-ae-tokens.js';
import { OAuthModels1795132800020 } from './1795132800020-oauth-models.js';
import { RegisteredApplications1795132800030 } from './1795132800030-registered-applications.js';
import { BrowserSessions1795132800040 } from './1795132800040-browser-sessions.js';
import { SessionsShareAUid1795132800050 } from './1795132800050-sessions-share-a-uid.js';
import { ApprovalQueue1795132800080 } from './1795132800080-approval-queue.js';
import { AuditOfOneTarget1795132800090 } from './1795132800090-audit-of-one-target.js';
import { WhenGrantsWereDecided1795132800110 } from './1795132800110-when-grants-were-decided.js';
import { RevocationQuotas1795132800060 } from './1795132800060-revocation-quotas.js';
import { WalletLinks1795132800120 } from './1795132800120-wallet-links.js';
import { UnsendableSince1795132800121 } from './1795132800121-unsendable-since.js';
import { NamedLinkAccounts1795132800140 } from './1795132800140-named-link-accounts.js';
import { FormSubmissions1795132800130 } from './1795132800130-form-submissions.js';
import { PlatformUserProfiles1795132800150 } from './1795132800150-platform-user-profiles.js';
import { CommunityWallets1795132800151 } from './1795132800151-community-wallets.js';
import { ChallengeClients1795132800180 } from './1795132800180-challenge-clients.js';
import { Traceparents1795132800401 } from './1795132800401-traceparents.js';
import { UnlinkedWallets1795132800415 } from './1795132800415-unlinked-wallets.js';
import { LogoutRedirects1795132800761 } from './1795132800761-logout-redirects.js';
import { ChallengeTimes1795132800762 } from './1795132800762-challenge-times.js';
import { TokenResponses1795132800760 } from './1795132800760-token-responses.js';
import { EnterpriseLimits1795132800430 } from './1795132800430-enterprise-limits.js';
import { ReviewedValues1795132800815 } from './1795132800815-reviewed-values.js';
import { ReviewsBefore1795132800816 } from './1795132800816-reviews-before.js';
import { Usernames1795132800830 } from './1795132800830-usernames.js';
import { LoginMethods1795132800840 } from './1795132800840-login-methods.js';
import { Passkeys1795132800860 } from './1795132800860-passkeys.js';
import { SessionsOfPasskeys1795132800861 } from './1795132800861-sessions-of-passkeys.js';
import { EnsNames1795132800870 } from './1795132800870-ens-names.js';
import { UsesOfPasskeys1795132800872 } from './1795132800872-uses-of-passkeys.js';

/** Migrations in the order in which they are applied. A migration is never changed once it was released. */
export const migrations = [
  ClientApplications1795132800000,
  TokenKeys1795132800010,
  RevokedTokens1795132800011,
  Users1795132800012,
  SignInChallenges1795132800013,
  AeTokens1795132800014,
  OAuthModels1795132800020,
  RegisteredApplications1795132800030,
  BrowserSessions1795132800040,
  SessionsShareAUid1795132800050,
  RevocationQuotas1795132800060,
  ApprovalQueue1795132800080,
  AuditOfOneTarget1795132800090,
  WhenGrantsWereDecided1795132800110,
  WalletLinks1795132800120,
  UnsendableSince1795132800121,
  FormSubmissions1795132800130,
  NamedLinkAccounts1795132800140,
  PlatformUserProfiles1795132800150,
  CommunityWallets1795132800151,
  ChallengeClients1795132800180,
  Traceparents1795132800401,
  UnlinkedWallets1795132800415,
  EnterpriseLimits1795132800430,
  TokenResponses1795132800760,
  LogoutRedirects1795132800761,
  ChallengeTimes1795132800762,
  ReviewedValues1795132800815,
  ReviewsBefore1795132800816,
  Usernames1795132800830,
  LoginMethods1795132800840,
  Passkeys1795132800860,
  SessionsOfPasskeys1795132800861,
  EnsNames1795132800870,
  UsesOfPasskeys1795132800872,
];
