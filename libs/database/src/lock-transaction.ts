import type { EntityManager } from 'typeorm';
import { queryRows } from './query-rows.js';

/** Serializes transactions that lock the same name. Waits for the lock, and holds it until the transaction ends. */
export async function lockTransaction(manager: EntityManager, name: string): Promise<void> {
  await queryRows(manager, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}
