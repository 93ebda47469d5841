import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A lease, which one instance holds at a time: an executor (by its address), or the search for included operations. */
export interface ChainLease {
  readonly chainId: number;
  readonly name: string;
  /** Id of the instance. */
  readonly holder: string;
}

/** The lease has passed and may be another instance's. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

@Injectable()
export class ChainLeaseRepository {
  constructor(private readonly database: Database) {}

  /** Takes the lease or renews it. @returns false while another instance holds it */
  async acquire({ chainId, name, holder }: ChainLease, leaseMs: number): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO account_kit.chain_leases AS lease (chain_id, name, holder, leased_until)
       VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')
       ON CONFLICT (chain_id, name) DO UPDATE SET holder = EXCLUDED.holder, leased_until = EXCLUDED.leased_until
       WHERE lease.holder = EXCLUDED.holder OR lease.leased_until <= clock_timestamp()
       RETURNING name`,
      [chainId, name, holder, leaseMs],
    );
    return rows.length > 0;
  }

  /** Holds the lease until the end of the transaction. @throws LeaseLostError */
  async check(manager: EntityManager, { chainId, name, holder }: ChainLease): Promise<void> {
    const rows = await queryRows(
      manager,
      `SELECT FROM account_kit.chain_leases
       WHERE chain_id = $1 AND name = $2 AND holder = $3 AND leased_until > clock_timestamp() FOR UPDATE`,
      [chainId, name, holder],
    );
    if (rows.length === 0) throw new LeaseLostError(`lost ${name} of chain ${chainId}`);
  }

  async release({ chainId, name, holder }: ChainLease): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.chain_leases SET leased_until = clock_timestamp()
       WHERE chain_id = $1 AND name = $2 AND holder = $3`,
      [chainId, name, holder],
    );
  }
}
