import { z } from 'zod';

/** Runs one statement and returns its rows, with int8 as bigint. */
export type RunQuery = (sql: string, parameters: unknown[]) => Promise<unknown[]>;

export interface Lease {
  /** Requests that may be admitted without another query. */
  granted: number;
  /** Requests of the month that are used or leased at all gateways. */
  used: number;
}

interface LeaseRequest {
  tenantId: string;
  month: string;
  limit: number;
  requested: number;
  /** Requests that were admitted while PostgreSQL was unavailable. */
  unsynced: number;
}

export interface UsageAdjustment {
  tenantId: string;
  month: string;
  /** Positive: admitted without a lease. Negative: leased and not used. */
  requests: number;
}

/** The schema of the gateway, whose migrations create the table. */
export const COUNTERS_SCHEMA = 'gateway';
const TABLE = `${COUNTERS_SCHEMA}.month_usage`;

/** A lease is one statement, so that two gateways never lease the same request. */
const LEASE = `
  INSERT INTO ${TABLE} AS u (holder_id, month, used, last_granted)
  VALUES ($1, $2, $5::bigint + greatest(0, least($4::bigint, $3::bigint - $5::bigint)),
          greatest(0, least($4::bigint, $3::bigint - $5::bigint)))
  ON CONFLICT ON CONSTRAINT month_usage_pk DO UPDATE SET
    used = u.used + $5::bigint + greatest(0, least($4::bigint, $3::bigint - u.used - $5::bigint)),
    last_granted = greatest(0, least($4::bigint, $3::bigint - u.used - $5::bigint))
  RETURNING used, last_granted`;

/** Adjustments in an order that both statements share, so that gateways that stop together do not deadlock. */
const ADJUSTMENTS = 'unnest($1::text[], $2::text[], $3::bigint[]) AS s (holder_id, month, requests)';

/** Ignores the limit, because these requests were admitted already. */
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

const usageRow = z.object({ used: z.bigint() });

const leaseRow = z.object({ used: z.bigint(), last_granted: z.bigint() });

/** Every statement over month_usage, the requests per tenant and month. A gateway leases blocks of requests from it. */
export class MonthUsageQueries {
  constructor(private readonly query: RunQuery) {}

  /** Adds `unsynced` whatever the limit, then grants up to `requested` of what the month has left. */
  async lease({ tenantId, month, limit, requested, unsynced }: LeaseRequest): Promise<Lease> {
    const [row] = await this.query(LEASE, [tenantId, month, limit, requested, unsynced]);
    const { used, last_granted: granted } = leaseRow.parse(row);
    return { granted: Number(granted), used: Number(used) };
  }

  /** Requests of the month that are used or leased at all gateways. */
  async getUsage(tenantId: string, month: string): Promise<number> {
    const [row] = await this.query(SELECT_USAGE, [tenantId, month]);
    return row === undefined ? 0 : Number(usageRow.parse(row).used);
  }

  /** Adds requests that were admitted without a lease, and returns leased requests that were not used. */
  async adjustUsage(adjustments: UsageAdjustment[]): Promise<void> {
    await this.runBatch(
      ADD_USAGE,
      adjustments.filter(({ requests }) => requests > 0),
    );
    await this.runBatch(
      SUBTRACT_USAGE,
      adjustments.filter(({ requests }) => requests < 0),
    );
  }

  private async runBatch(sql: string, adjustments: UsageAdjustment[]): Promise<void> {
    if (adjustments.length === 0) return;
    const columns = [
      adjustments.map(({ tenantId }) => tenantId),
      adjustments.map(({ month }) => month),
      adjustments.map(({ requests }) => requests),
    ];
    await this.query(sql, columns);
  }
}
