import type { PoolClient } from 'pg';
import type { QueryRunner } from 'typeorm';

/** Ends the connection that a runner holds, so that the pool does not hand it out again. Release the runner after. */
export async function discardConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as PoolClient & { end: () => Promise<void> };
  // Not awaited: the other side may be silent. It resolves when the socket has closed and never rejects.
  void client.end();
}
