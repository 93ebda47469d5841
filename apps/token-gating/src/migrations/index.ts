import { AsynchronousChecks1795132800003 } from './1795132800003-asynchronous-checks.js';
import { CallbackKeys1795132800004 } from './1795132800004-callback-keys.js';
import { Communities1795132800120 } from './1795132800120-communities.js';
import { BalanceChecks1795132800121 } from './1795132800121-balance-checks.js';
import { Outbox1795132800122 } from './1795132800122-outbox.js';
import { RoleCallbacks1795132800123 } from './1795132800123-role-callbacks.js';
import { AskingUsers1795132800124 } from './1795132800124-asking-users.js';
import { DeletedCommunities1795132800125 } from './1795132800125-deleted-communities.js';
import { AssignmentsByRole1795132800126 } from './1795132800126-assignments-by-role.js';
import { UnwantedCallbacks1795132800127 } from './1795132800127-unwanted-callbacks.js';
import { UnsendableSince1795132800128 } from './1795132800128-unsendable-since.js';
import { RoleCallbackContent1795132800129 } from './1795132800129-role-callback-content.js';
import { RemovedMembers1795132800140 } from './1795132800140-removed-members.js';
import { CallbackTenants1795132800130 } from './1795132800130-callback-tenants.js';
import { ReceiverChallenges1795132800131 } from './1795132800131-receiver-challenges.js';
import { PurgeAttempts1795132800161 } from './1795132800161-purge-attempts.js';
import { RoleCallbackReservations1795132800160 } from './1795132800160-role-callback-reservations.js';
import { IdempotencyKeysOfUsers1795132800150 } from './1795132800150-idempotency-keys-of-users.js';
import { AssetClaims1795132800170 } from './1795132800170-asset-claims.js';
import { DeletedRoles1795132800200 } from './1795132800200-deleted-roles.js';
import { Traceparents1795132800400 } from './1795132800400-traceparents.js';
import { ReportedInteractions1795132800415 } from './1795132800415-reported-interactions.js';
import { OperationReceivers1795132800420 } from './1795132800420-operation-receivers.js';
import { ReportedMembers1795132800430 } from './1795132800430-reported-members.js';
import { SuspendedCommunities1795132800431 } from './1795132800431-suspended-communities.js';
import { FailingChecks1795132800750 } from './1795132800750-failing-checks.js';
import { VerifiableCredentials1795132800850 } from './1795132800850-verifiable-credentials.js';
import { DeliveriesOfUsers1795132800871 } from './1795132800871-deliveries-of-users.js';
import { CommunityCredentials1795132800880 } from './1795132800880-community-credentials.js';
import { EndedConsents1795132800889 } from './1795132800889-ended-consents.js';
import { CredentialIssues1795132800910 } from './1795132800910-credential-issues.js';
import { TokensOfCredentials1795132800911 } from './1795132800911-tokens-of-credentials.js';

/** Migrations in the order in which they are applied. A migration is never changed once it was released. */
export const migrations = [
  AsynchronousChecks1795132800003,
  CallbackKeys1795132800004,
  Communities1795132800120,
  BalanceChecks1795132800121,
  Outbox1795132800122,
  RoleCallbacks1795132800123,
  AskingUsers1795132800124,
  DeletedCommunities1795132800125,
  AssignmentsByRole1795132800126,
  UnwantedCallbacks1795132800127,
  UnsendableSince1795132800128,
  RoleCallbackContent1795132800129,
  CallbackTenants1795132800130,
  ReceiverChallenges1795132800131,
  RemovedMembers1795132800140,
  IdempotencyKeysOfUsers1795132800150,
  RoleCallbackReservations1795132800160,
  PurgeAttempts1795132800161,
  AssetClaims1795132800170,
  DeletedRoles1795132800200,
  Traceparents1795132800400,
  ReportedInteractions1795132800415,
  OperationReceivers1795132800420,
  ReportedMembers1795132800430,
  SuspendedCommunities1795132800431,
  FailingChecks1795132800750,
  VerifiableCredentials1795132800850,
  DeliveriesOfUsers1795132800871,
  CommunityCredentials1795132800880,
  EndedConsents1795132800889,
  CredentialIssues1795132800910,
  TokensOfCredentials1795132800911,
];
