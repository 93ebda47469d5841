import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { isApplicationFrozen } from '../../../limits/is-frozen.js';
import { isCancelled, isNot, isReplaced } from '../bundles/due-operations.js';
import { isGivenUp, isWanted } from './wanted-by.js';

/** An application that was refused an operation in a lane of an account. */
interface RefusedRequest {
  readonly accountId: string;
  readonly chainId: number;
  readonly nonceKey: bigint;
  readonly clientId: string;
}

/** SQL condition: an earlier operation of the lane has to be executed or cancelled first. */
const IS_BEHIND = `EXISTS (
  SELECT FROM account_kit.user_operations AS earlier
  WHERE earlier.account_id = o.account_id AND earlier.chain_id = o.chain_id AND earlier.nonce_key = o.nonce_key
    AND earlier.nonce_sequence < o.nonce_sequence AND earlier.state IN ('accepted', 'signed', 'submitted', 'stuck')
    AND ${isNot(isReplaced('earlier'))})`;
/** SQL condition: a cancellation is on its way already, so that one more would be paid for nothing. */
const IS_REPAIRED = `EXISTS (
  SELECT FROM account_kit.user_operations AS c
  WHERE c.account_id = $1 AND c.chain_id = $2 AND c.kind = 'cancellation'
    AND c.state IN ('accepted', 'signed', 'submitted', 'stuck') AND ${isNot(isApplicationFrozen('c.client_id'))})`;
/** An application whose limits are used up keeps a nonce from another one for no longer than this. */
const MAX_UNREPAIRED = `interval '1 minute'`;
/** SQL condition: another nonce of the account is wanted already and comes first, so that the account is repaired one nonce at a time. */
const IS_ANOTHER_WANTED = `EXISTS (
  SELECT FROM account_kit.user_operations AS another
  WHERE another.account_id = $1 AND another.chain_id = $2 AND another.id <> o.id AND another.state IN ('signed', 'stuck', 'submitted')
    AND ${isWanted('another')} AND (another.wanted_by = $4 OR another.wanted_at > now() - ${MAX_UNREPAIRED}))`;

/**
 * Keeps which application wants the nonce of an operation that nothing tries any more. LaneRepairTracker cancels it for that application.
 * `wanted_by` is never cleared: it counts only with a `wanted_at` after the operation was given up (`isWanted`), another application
 * overwrites it after a minute, and the index of turns holds unfinished operations only.
 */
@Injectable()
export class WantedNonceRepository {
  constructor(private readonly database: Database) {}

  /**
   * Wants one of the operations that nobody tries, because they may be why a new operation was refused: the first of the
   * lane of the request, or the oldest of the account. The first application that wants it pays, unless operators have
   * frozen it since, or the nonce is not taken within a minute.
   */
  async want({ accountId, chainId, nonceKey, clientId }: RefusedRequest): Promise<void> {
    await this.database.query(
      `WITH wanted AS (
         SELECT o.id FROM account_kit.user_operations AS o
         WHERE o.account_id = $1 AND o.chain_id = $2 AND o.state IN ('signed', 'stuck', 'submitted') AND ${isGivenUp('o')}
           AND ${isNot(isCancelled('o'))} AND ${isNot(IS_BEHIND)} AND ${isNot(IS_REPAIRED)}
           AND ${isNot(IS_ANOTHER_WANTED)}
         ORDER BY o.nonce_key <> $3, o.accepted_at LIMIT 1
       )
       UPDATE account_kit.user_operations AS o SET wanted_by = $4, wanted_at = clock_timestamp()
       WHERE o.id IN (SELECT id FROM wanted)
         AND (${isNot(isWanted('o'))} OR o.wanted_by <> $4 AND o.wanted_at <= now() - ${MAX_UNREPAIRED})`,
      [accountId, chainId, String(nonceKey), clientId],
    );
  }
}
