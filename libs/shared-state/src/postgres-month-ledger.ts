import { z } from 'zod';

/** Runs one statement and gives its rows, with int8 as bigint. */
export type Query = (sql: string, parameters: unknown[]) => Promise<unknown[]>;

export interface Lease {
  /** Requests that may now be admitted without asking again. */
  granted: number;
  /** Requests of the month that are used or leased, by all gateways together. */
  used: number;
}

export interface LeaseRequest {
  holderId: string;
  month: string;
  limit: number;
  want: number;
  /** Requests that were admitted while the ledger could not be reached. */
  debt: number;
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

/** Whatever the limit says: what was admitted was admitted. */
const SETTLE = `
  INSERT INTO ${TABLE} AS u (holder_id, month, used, last_granted) VALUES ($1, $2, greatest(0, $3::bigint), 0)
  ON CONFLICT ON CONSTRAINT month_usage_pk DO UPDATE SET used = greatest(0, u.used + $3::bigint)`;

const leaseRow = z.object({ used: z.bigint(), last_granted: z.bigint() });

/** Who used how much of a month, in PostgreSQL. Gateways lease blocks of it instead of asking for every request. */
export class PostgresMonthLedger {
  constructor(private readonly query: Query) {}

  /** Grants as much of `want` as the month has left, and books `debt` whatever is left. */
  async lease({ holderId, month, limit, want, debt }: LeaseRequest): Promise<Lease> {
    const [row] = await this.query(LEASE, [holderId, month, limit, want, debt]);
    const { used, last_granted: granted } = leaseRow.parse(row);
    return { granted: Number(granted), used: Number(used) };
  }

  /** Books requests that were admitted without a lease, or returns, as a negative number, what was leased and not used. */
  async settle(holderId: string, month: string, requests: number): Promise<void> {
    await this.query(SETTLE, [holderId, month, requests]);
  }
}
