import { CommunityEvents1795132800120 } from './1795132800120-community-events.js';
import { Numbers1795132800140 } from './1795132800140-numbers.js';
import { CompleteEvents1795132800150 } from './1795132800150-complete-events.js';
import { ProducerHeartbeats1795132800155 } from './1795132800155-producer-heartbeats.js';
import { Reconciliation1795132800165 } from './1795132800165-reconciliation.js';
import { OperationCounts1795132800170 } from './1795132800170-operation-counts.js';
import { Erasures1795132800175 } from './1795132800175-erasures.js';
import { ErasureProgress1795132800180 } from './1795132800180-erasure-progress.js';

/** Migrations in the order in which they are applied. A migration is never changed once it was released. */
export const migrations = [
  CommunityEvents1795132800120,
  Numbers1795132800140,
  CompleteEvents1795132800150,
  ProducerHeartbeats1795132800155,
  Reconciliation1795132800165,
  OperationCounts1795132800170,
  Erasures1795132800175,
  ErasureProgress1795132800180,
];
