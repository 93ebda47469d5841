import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';

// No lock of a row: those who share one pass whoever waits for it alone, who may wait for ever then.
const KEY = `hashtextextended('gatehouse roles of ' || $1, 0)`;
const LOCK_SHARED = `SELECT pg_advisory_xact_lock_shared(${KEY})`;
const LOCK_EXCLUSIVE = `SELECT pg_advisory_xact_lock(${KEY})`;

/**
 * For whoever stores roles of a community: what they follow from stays what it is until the transaction ends. Before the
 * transaction locks rows, and in a statement of its own: what is looked at afterwards is as it stands once the lock is held.
 */
export async function lockAssignmentsShared(manager: EntityManager, communityId: string): Promise<void> {
  await queryRows(manager, LOCK_SHARED, [communityId]);
}

/**
 * For whoever changes what roles follow from: nobody stores any until the transaction ends. Before the transaction locks
 * rows.
 */
export async function lockAssignmentsExclusive(manager: EntityManager, communityId: string): Promise<void> {
  await queryRows(manager, LOCK_EXCLUSIVE, [communityId]);
}
