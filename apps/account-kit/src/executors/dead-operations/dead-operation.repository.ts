import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { storedAddress as address, storedAmount as amount, storedHash as hash } from '../stored-values.js';
import { OperationStateRepository } from '../states/operation-state.repository.js';

const doubtfulOperation = z.object({
  id: z.string(),
  hash,
  version: z.enum(['0.7', '0.8']),
  state: z.enum(['signed', 'stuck', 'submitted']),
  kind: z.enum(['call', 'mint', 'cancellation']),
  sender: address,
  nonceKey: amount,
  nonceSequence: amount,
  acceptedAt: z.date(),
  validUntil: z.date().nullable(),
});
/** An operation that failed its simulation, that a bundler refused, whose sponsor's signature has ended, or whose nonce another one has used. */
export type DoubtfulOperation = z.output<typeof doubtfulOperation>;

@Injectable()
export class DeadOperationRepository {
  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
  ) {}

  /** In the order of their ids, which come after `afterId`. */
  async findDoubtful(chainId: number, afterId: string, limit: number): Promise<DoubtfulOperation[]> {
    const rows = await this.database.query(
      `SELECT id, hash, account_version AS version, state, kind, sender, nonce_key AS "nonceKey",
         nonce_sequence AS "nonceSequence", accepted_at AS "acceptedAt", valid_until AS "validUntil"
       FROM account_kit.user_operations AS o
       WHERE chain_id = $1 AND id > $2 AND state IN ('signed', 'stuck', 'submitted')
         AND (valid_until < now() OR reason IS NOT NULL OR EXISTS (
           SELECT FROM account_kit.user_operations AS other
           WHERE other.account_id = o.account_id AND other.chain_id = o.chain_id AND other.nonce_key = o.nonce_key
             AND other.nonce_sequence = o.nonce_sequence AND other.id <> o.id AND other.state IN ('included', 'final', 'reverted')))
       ORDER BY id LIMIT $3`,
      [chainId, afterId, limit],
    );
    return z.array(doubtfulOperation).parse(rows);
  }

  /** To be called with a proof that the operation can never be executed. */
  markDead(id: string, to: 'rejected' | 'expired', reason: string): Promise<void> {
    return this.database.transaction(async (manager) => {
      const set = ['reason = $4', 'next_attempt_at = NULL'];
      await this.states.change(manager, {
        ids: [id],
        from: ['signed', 'stuck', 'submitted'],
        to,
        set,
        parameters: [reason],
      });
    });
  }
}
