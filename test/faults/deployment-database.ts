import type pg from 'pg';
import { databasePool } from '../support/database-pool.js';

/** The rows that a deployment leaves, on the server that it uses. */
export class DeploymentDatabase {
  private pool: pg.Pool;

  constructor(private url: string) {
    this.pool = databasePool(url);
  }

  /** Looks into the same database on another server from here on. @returns its URL */
  async moveTo(serverUrl: string): Promise<string> {
    const url = new URL(this.url);
    url.host = new URL(serverUrl).host;
    await this.pool.end();
    this.url = url.href;
    this.pool = databasePool(url.href);
    return url.href;
  }

  async countUnfinishedOperations(): Promise<number> {
    const ids = await this.listIds(
      "SELECT id FROM account_kit.user_operations WHERE state NOT IN ('included', 'final')",
    );
    return ids.length;
  }

  /** Operations whose events have arrived at analytics. */
  async countIncludedAtAnalytics(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      "SELECT coalesce(sum(count), 0)::int AS count FROM analytics.operation_counts WHERE state = 'included'",
    );
    return rows[0]?.count ?? 0;
  }

  /** Checks with a callback. */
  listChecks(): Promise<string[]> {
    return this.listIds('SELECT id FROM token_gating.checks WHERE callback_url IS NOT NULL');
  }

  /** Checks whose callback is delivered. */
  listDelivered(): Promise<string[]> {
    return this.listIds(
      "SELECT check_id AS id FROM token_gating.deliveries WHERE state = 'delivered' AND check_id IS NOT NULL",
    );
  }

  async stop(): Promise<void> {
    if (!this.pool.ended) await this.pool.end();
  }

  private async listIds(sql: string): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>(sql);
    return rows.map(({ id }) => id);
  }
}
