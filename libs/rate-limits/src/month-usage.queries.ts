import { z } from 'zod';

/** Runs one statement and gives its rows, with int8 as bigint. */
export type RunQuery = (sql: string, parameters: unknown[]) => Promise<unknown[]>;

export interface Lease {
  /** Requests that may now be admitted without asking again. */
  granted: number;
  /** Requests of the month that are used or leased, by all gateways together. */
  used: number;
}

export interface LeaseRequest {
  tenantId: string;
  month: string;
  limit: number;
  requested: number;
  /** Requests that were admitted while the ledger could not be reached. */
  unsynced: number;
}

export interface UsageAdjustment {
  tenantId: string;
  month: string;
  /** That were admitted without a lease or, as a negative number, leased and not used. */
  requests: number;
}

/** The schema of the app that keeps the counters; its migrations make the table. */
export const COUNTERS_SCHEMA = 'gateway';
const TABLE = `${COUNTERS_SCHEMA}.month_usage`;

/** One statement per lease, so that two gateways never share a request. */
const LEASE = `
  INSERT INTO ${TABLE} AS u (holder_id, month, used, last_granted)
  VALUES ($1, $2, $5::bigint + greatest(0, least($4::bigint, $3::bigint - $5::bigint)),
          greatest(0, least($4::bigint, $3::bigint - $5::bigint)))
  ON CONFLICT ON CONSTRAINT month_usage_pk DO UPDATE SET
    used = u.used + $5::bigint + greatest(0, least($4::bigint, $3::bigint - u.used - $5::bigint)),
    last_granted = greatest(0, least($4::bigint, $3::bigint - u.used - $5::bigint))
  RETURNING used, last_granted`;

/** Both go through the holders in one order, so that gateways that end together do not wait for each other in a circle. */
const ADJUSTMENTS = 'unnest($1::text[], $2::text[], $3::bigint[]) AS s (holder_id, month, requests)';

/** Whatever the limit says: what was admitted was admitted. */
const ADD_USAGE = `
  INSERT INTO ${TABLE} AS u (holder_id, month, used, last_granted)
  SELECT holder_id, month, sum(requests), 0 FROM ${ADJUSTMENTS} GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT ON CONSTRAINT month_usage_pk DO UPDATE SET used = u.used + excluded.used`;

const SUBTRACT_USAGE = `
  WITH given AS (SELECT holder_id, month, sum(requests) AS requests FROM ${ADJUSTMENTS} GROUP BY 1, 2),
  held AS (
    SELECT holder_id, month, requests FROM ${TABLE} JOIN given USING (holder_id, month)
    ORDER BY 1, 2 FOR UPDATE OF month_usage
  )
  UPDATE ${TABLE} AS u SET used = greatest(0, u.used + held.requests)
  FROM held WHERE u.holder_id = held.holder_id AND u.month = held.month`;

const SELECT_USAGE = `SELECT used FROM ${TABLE} WHERE holder_id = $1 AND month = $2`;

const usedRow = z.object({ used: z.bigint() });

const leaseRow = z.object({ used: z.bigint(), last_granted: z.bigint() });

/** Who used how much of a month, in PostgreSQL. Gateways lease blocks of it instead of asking for every request. */
export class MonthUsageQueries {
  constructor(private readonly query: RunQuery) {}

  /** Grants as much of `want` as the month has left, and books `debt` whatever is left. */
  async lease({ tenantId, month, limit, requested, unsynced }: LeaseRequest): Promise<Lease> {
    const [row] = await this.query(LEASE, [tenantId, month, limit, requested, unsynced]);
    const { used, last_granted: granted } = leaseRow.parse(row);
    return { granted: Number(granted), used: Number(used) };
  }

  /** Requests of the month that are used or leased, by all gateways together. */
  async getUsage(holderId: string, month: string): Promise<number> {
    const [row] = await this.query(SELECT_USAGE, [holderId, month]);
    return row === undefined ? 0 : Number(usedRow.parse(row).used);
  }

  /** Books what was admitted without a lease, and takes back what was leased and not used. */
  async adjustUsage(settlements: UsageAdjustment[]): Promise<void> {
    await this.each(
      ADD_USAGE,
      settlements.filter(({ requests }) => requests > 0),
    );
    await this.each(
      SUBTRACT_USAGE,
      settlements.filter(({ requests }) => requests < 0),
    );
  }

  private async each(sql: string, settlements: UsageAdjustment[]): Promise<void> {
    if (settlements.length === 0) return;
    const columns = [
      settlements.map(({ tenantId }) => tenantId),
      settlements.map(({ month }) => month),
      settlements.map(({ requests }) => requests),
    ];
    await this.query(sql, columns);
  }
}
