import type { PostgresConnection } from 'bullmq';

/**
 * Works around BullMQ 6, which opens a pool of connections for each queue and each worker. Its connection for LISTEN, which
 * stays busy, remains its own; everything else is one statement at a time.
 */
export function sharePool(connection: PostgresConnection, shared: PostgresConnection): void {
  void connection.pool.end(); // nothing has connected yet
  Object.assign(connection, { pool: shared.pool, ownsPool: false });
}
