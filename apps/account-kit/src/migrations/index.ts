import { SmartAccounts1795132800500 } from './1795132800500-smart-accounts.js';
import { UserOperations1795132800510 } from './1795132800510-user-operations.js';
import { IdempotencyKeys1795132800515 } from './1795132800515-idempotency-keys.js';
import { ExecutorTransactions1795132800520 } from './1795132800520-executor-transactions.js';
import { BundlerSubmissions1795132800525 } from './1795132800525-bundler-submissions.js';
import { Policies1795132800530 } from './1795132800530-policies.js';
import { SolanaTransactions1795132800540 } from './1795132800540-solana-transactions.js';
import { CustomActions1795132800550 } from './1795132800550-custom-actions.js';
import { AccountKeys1795132800560 } from './1795132800560-account-keys.js';
import { ApplicationPlatforms1795132800570 } from './1795132800570-application-platforms.js';
import { Caps1795132800580 } from './1795132800580-caps.js';
import { IdempotencyKeyAges1795132800585 } from './1795132800585-idempotency-key-ages.js';
import { UnfinishedLanes1795132800575 } from './1795132800575-unfinished-lanes.js';
import { SponsoredReverts1795132800600 } from './1795132800600-sponsored-reverts.js';
import { Freezes1795132800590 } from './1795132800590-freezes.js';
import { CodehostApps1795132800610 } from './1795132800610-codehost-apps.js';
import { SponsoredTransactions1795132800620 } from './1795132800620-sponsored-transactions.js';
import { Outbox1795132800630 } from './1795132800630-outbox.js';
import { UnfinishedTransactions1795132800640 } from './1795132800640-unfinished-transactions.js';
import { UncompressedOutbox1795132800650 } from './1795132800650-uncompressed-outbox.js';
import { ActionKeys1795132800660 } from './1795132800660-action-keys.js';
import { ClaimOrder1795132800670 } from './1795132800670-claim-order.js';
import { RefusedTransactions1795132800680 } from './1795132800680-refused-transactions.js';
import { Cancellations1795132800690 } from './1795132800690-cancellations.js';
import { WantedNonces1795132800700 } from './1795132800700-wanted-nonces.js';
import { GivenUpTransactions1795132800710 } from './1795132800710-given-up-transactions.js';
import { HoldReasons1795132800720 } from './1795132800720-hold-reasons.js';
import { ApplicationTurns1795132800800 } from './1795132800800-application-turns.js';
import { SolanaFees1795132800900 } from './1795132800900-solana-fees.js';

/** Migrations in the order in which they are applied. A migration is never changed once it was released. */
export const migrations = [
  SmartAccounts1795132800500,
  UserOperations1795132800510,
  IdempotencyKeys1795132800515,
  ExecutorTransactions1795132800520,
  BundlerSubmissions1795132800525,
  Policies1795132800530,
  SolanaTransactions1795132800540,
  CustomActions1795132800550,
  AccountKeys1795132800560,
  ApplicationPlatforms1795132800570,
  UnfinishedLanes1795132800575,
  Caps1795132800580,
  IdempotencyKeyAges1795132800585,
  Freezes1795132800590,
  SponsoredReverts1795132800600,
  CodehostApps1795132800610,
  SponsoredTransactions1795132800620,
  Outbox1795132800630,
  UnfinishedTransactions1795132800640,
  UncompressedOutbox1795132800650,
  ActionKeys1795132800660,
  ClaimOrder1795132800670,
  RefusedTransactions1795132800680,
  Cancellations1795132800690,
  WantedNonces1795132800700,
  GivenUpTransactions1795132800710,
  HoldReasons1795132800720,
  ApplicationTurns1795132800800,
  SolanaFees1795132800900,
];
