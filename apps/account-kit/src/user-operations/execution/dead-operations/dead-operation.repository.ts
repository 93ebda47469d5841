import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { storedAddress as address, storedAmount as amount, storedHash as hash } from '../stored-values.js';
import { OperationStateRepository } from '../operation-state.repository.js';
import { type ApplicationTurns, TURN_COLUMNS, turnFields, turnsOf } from './application-turns.js';

const doubtfulOperation = z.object({
  ...turnFields,
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

const IS_DOUBTFUL = `
  o.state IN ('signed', 'stuck', 'submitted') AND (o.valid_until < now() OR o.reason IS NOT NULL OR EXISTS (
    SELECT FROM account_kit.user_operations AS other
    WHERE other.account_id = o.account_id AND other.chain_id = o.chain_id AND other.nonce_key = o.nonce_key
      AND other.nonce_sequence = o.nonce_sequence AND other.id <> o.id AND other.state IN ('included', 'final', 'reverted')))`;
const FIND_DOUBTFUL = `
  WITH RECURSIVE ${turnsOf({ isListed: IS_DOUBTFUL, hasUntried: true })}
  SELECT o.id, ${TURN_COLUMNS}, o.hash, o.account_version AS version, o.state, o.kind, o.sender, o.nonce_key AS "nonceKey",
    o.nonce_sequence AS "nonceSequence", o.accepted_at AS "acceptedAt", o.valid_until AS "validUntil"
  FROM turn JOIN account_kit.user_operations AS o ON o.id = turn.id ORDER BY turn.number`;

@Injectable()
export class DeadOperationRepository {
  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
  ) {}

  /** Finds doubtful operations, in the order in which applications take turns. */
  async findDoubtful(chainId: number, turns: ApplicationTurns, limit: number): Promise<DoubtfulOperation[]> {
    const rows = await this.database.query(FIND_DOUBTFUL, [chainId, limit, ...turns.parameters]);
    return z.array(doubtfulOperation).parse(rows);
  }

  /** Marks an operation as dead. The caller has a proof that it can never be executed. */
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
