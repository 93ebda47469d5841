import { boundEntries, HOUR_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import { Database, queryRows, toStoredText } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { holdFreezes } from '../../../limits/freezes.queries.js';
import { isOperationFrozen } from '../../../limits/is-frozen.js';
import {
  hasLapsed,
  isCancelled,
  isInTransaction,
  isNot,
  UNANSWERED_BY_BUNDLER,
} from '../operation-conditions.js';
import { CLAIMED_COLUMNS, type ClaimedOperation, claimedOperation } from '../bundles/claimed-operation.js';
import { type ChainLease, ChainLeaseRepository } from '../chain-lease.repository.js';
import { OperationStateRepository } from '../operation-state.repository.js';

/** A bundler that dropped an operation gets it again. */
const RESEND_MS = 30 * SECOND_MS;
/** Applications whose turns are remembered. A forgotten one comes first. */
const MAX_APPLICATIONS = 10_000;
/** What a bundler does not take is sent again after half of the time since it was first sent, within these bounds. */
const MIN_PAUSE_MS = 2 * SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;
/** An answer with a code of the bundler's own may mean that the bundler is in trouble, so the operation waits no longer than this. */
const MAX_UNKNOWN_PAUSE_MS = 5 * MINUTE_MS;
/** An owner is told that the bundler does not answer when the operation has waited for this time. */
const MAX_UNEXPLAINED_MS = 5 * MINUTE_MS;

@Injectable()
export class BundlerSubmissionRepository {
  /** When operations of each application were claimed last, on any chain. */
  private readonly lastTurns = new LRUCache<string, number>(boundEntries(MAX_APPLICATIONS));
  private turn = 0;

  constructor(
    private readonly database: Database,
    private readonly leases: ChainLeaseRepository,
    private readonly states: OperationStateRepository,
  ) {}

  /** Stores that an operation is sent, before it is. @returns false if another instance has moved it on. @throws LeaseLostError */
  submit(lease: ChainLease, id: string, blockNumber: bigint): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      await this.leases.check(manager, lease);
      await holdFreezes(manager);
      await this.states.lock(manager, [id]);
      if (!(await this.states.submitToBundler(manager, id))) return false;
      await queryRows(
        manager,
        `INSERT INTO account_kit.bundler_submissions (operation_id, first_block, next_attempt_at)
         VALUES ($1, $2, clock_timestamp() + $3 * interval '1 ms')
         ON CONFLICT (operation_id) DO UPDATE SET next_attempt_at = EXCLUDED.next_attempt_at`,
        [id, blockNumber, RESEND_MS],
      );
      return true;
    });
  }

  /**
   * Keeps why a bundler refused an operation. That proves nothing: it may have the operation, or get it from another bundler. So the
   * operation stays `submitted`, and is sent again with growing pauses.
   * @returns whether the reason is another one than before
   */
  async keepRefusal(
    id: string,
    { reason, isStandard }: { readonly reason: string; readonly isStandard: boolean },
  ): Promise<boolean> {
    const rows = await this.database.query(
      `WITH refused AS (
         UPDATE account_kit.user_operations SET reason = $2 WHERE id = $1 AND state = 'submitted' AND reason IS DISTINCT FROM $2
         RETURNING id
       ), paused AS (${postpone('$4')})
       SELECT id FROM refused`,
      [id, toStoredText(reason), MIN_PAUSE_MS, isStandard ? MAX_PAUSE_MS : MAX_UNKNOWN_PAUSE_MS],
    );
    return rows.length > 0;
  }

  /** The bundler has the operation, which it may have refused before. */
  async clearRefusal(id: string): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.user_operations SET reason = NULL WHERE id = $1 AND state = 'submitted' AND reason IS NOT NULL`,
      [id],
    );
  }

  /**
   * Operations that were submitted some time ago and are in no block, the next one of each application, beginning with the application that
   * has waited longest: thousands of one application delay no operation of another one. Nothing is sent after the end of a sponsor's signature, or of the day
   * of an operation without one.
   */
  async claimResends(chainId: number, limit: number): Promise<ClaimedOperation[]> {
    const last = [...this.lastTurns.entries()];
    const rows = await this.database.query(
      `WITH listed AS (
         SELECT s.operation_id, o.client_id, s.next_attempt_at,
           row_number() OVER (PARTITION BY o.client_id ORDER BY s.next_attempt_at) AS place
         FROM account_kit.bundler_submissions AS s
         JOIN account_kit.user_operations AS o ON o.id = s.operation_id
         WHERE o.chain_id = $1 AND o.state = 'submitted' AND s.next_attempt_at <= now()
           AND (o.valid_until IS NULL OR o.valid_until > now()) AND ${isNot(isOperationFrozen('o'))} AND ${isNot(isCancelled('o'))}
           AND ${isNot(hasLapsed('o'))} AND ${isNot(isInTransaction('o'))}
       ), due AS (
         SELECT operation_id FROM listed LEFT JOIN unnest($4::text[], $5::bigint[]) AS last(client_id, number) USING (client_id)
         ORDER BY place, last.number NULLS FIRST, next_attempt_at LIMIT $2
       ), claimed AS (
         UPDATE account_kit.bundler_submissions SET next_attempt_at = clock_timestamp() + $3 * interval '1 ms'
         WHERE operation_id IN (SELECT operation_id FROM due) RETURNING operation_id
       )
       SELECT ${CLAIMED_COLUMNS}, false AS follows_pending, o.client_id FROM claimed JOIN account_kit.user_operations AS o ON o.id = claimed.operation_id
       JOIN account_kit.smart_accounts AS a ON a.id = o.account_id`,
      [chainId, limit, RESEND_MS, last.map(([clientId]) => clientId), last.map(([, number]) => number)],
    );
    this.turn += 1;
    for (const { client_id } of z.array(z.object({ client_id: z.string() })).parse(rows))
      this.lastTurns.set(client_id, this.turn);
    return z.array(claimedOperation).parse(rows);
  }

  /**
   * Makes an operation due again soon, after a failure whose outcome is not known. After some minutes it keeps the failure as its reason,
   * unless it has one that the bundler gave. A cancellation keeps none, because it would count as refused, and be replaced, while the bundler
   * may hold it.
   */
  async resendSoon(id: string, failure: string): Promise<void> {
    await this.database.query(
      `WITH told AS (
         UPDATE account_kit.user_operations AS o SET reason = $4 FROM account_kit.bundler_submissions AS s
         WHERE o.id = $1 AND s.operation_id = o.id AND o.state = 'submitted' AND o.kind <> 'cancellation'
           AND s.submitted_at < clock_timestamp() - $6 * interval '1 ms'
           AND (o.reason IS NULL OR starts_with(o.reason, $5)) AND o.reason IS DISTINCT FROM $4)
       ${postpone('$2')}`,
      [
        ...[id, RESEND_MS, MIN_PAUSE_MS],
        ...[toStoredText(`${UNANSWERED_BY_BUNDLER}: ${failure}`), UNANSWERED_BY_BUNDLER, MAX_UNEXPLAINED_MS],
      ],
    );
  }
}

/** SQL that postpones operation $1 by half of the time since it was first sent, at least by $3. @param most SQL of the longest pause in ms */
const postpone = (most: string): string => `
  UPDATE account_kit.bundler_submissions SET next_attempt_at = clock_timestamp() + interval '1 ms' *
    least(${most}::int, greatest($3::int, extract(epoch FROM clock_timestamp() - submitted_at) * 500))
  WHERE operation_id = $1`;
