import { Baseline1795132801000 } from './1795132801000-baseline.js';
import { AnnouncedEvaluations1795132805000 } from './1795132805000-announced-evaluations.js';
import { ExplainedChecks1795132807000 } from './1795132807000-explained-checks.js';
import { DelegatedVaults1795132808600 } from './1795132808600-delegated-vaults.js';
import { TransferWatcher1795132809200 } from './1795132809200-transfer-watcher.js';
import { CommunitiesWithoutApplication1795132810000 } from './1795132810000-communities-without-application.js';
import { OwnershipOffers1795132810100 } from './1795132810100-ownership-offers.js';
import { PublishedRules1795132810800 } from './1795132810800-published-rules.js';
import { CallbackEndpoints1795132811000 } from './1795132811000-callback-endpoints.js';
import { RoleAndMembershipHistory1795132811500 } from './1795132811500-role-and-membership-history.js';
import { RoleCreationTimes1795132811510 } from './1795132811510-role-creation-times.js';
import { RemovedMembersByUser1795132811520 } from './1795132811520-removed-members-by-user.js';

/** Migrations in the order in which they are applied. A migration is never changed once it was released. */
export const migrations = [
  Baseline1795132801000,
  AnnouncedEvaluations1795132805000,
  ExplainedChecks1795132807000,
  DelegatedVaults1795132808600,
  TransferWatcher1795132809200,
  CommunitiesWithoutApplication1795132810000,
  OwnershipOffers1795132810100,
  PublishedRules1795132810800,
  CallbackEndpoints1795132811000,
  RoleAndMembershipHistory1795132811500,
  RoleCreationTimes1795132811510,
  RemovedMembersByUser1795132811520,
];
