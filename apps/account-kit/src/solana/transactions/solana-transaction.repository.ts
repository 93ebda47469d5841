import { createHash } from 'node:crypto';
import { Database, queryRows, RowQueue } from '@app/database';
import { solanaTransactionState, type SolanaTransactionState } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { settleTransactions } from '../../caps/reservations.queries.js';
import { isTransactionFrozen } from '../../freezes/is-frozen.js';
import { StateEventsService } from '../../states/state-events.service.js';
import type { SolanaNetwork } from '../solana-network.js';
import type { SolanaTransaction } from '../../solana-messages/transaction/solana-transaction.js';
import { type StoredTransaction, storedTransaction } from './stored-transaction.js';
import { TransactionStateHooks } from './transaction-state-hooks.js';

const TABLE = 'account_kit.solana_transactions';
const COLUMNS = `id, account_id AS "accountId", network, message, signatures, signature, blockhash,
  sponsor, accepted_block_height AS "acceptedBlockHeight", state`;
const IS_UNFINISHED = "state IN ('accepted', 'signed', 'submitted', 'included')";

const queue = new RowQueue({
  table: TABLE,
  dueAt: 'next_attempt_at',
  isWaiting: IS_UNFINISHED,
  turnBy: 'client_id',
});

const INSERT = `
  INSERT INTO ${TABLE} (id, account_id, client_id, network, message, message_hash, signatures, blockhash,
    accepted_block_height, sponsor, state, next_attempt_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'accepted', now() + $11 * interval '1 ms')
  ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`;

/** A row changes its state only from the states that its writer has seen: another instance may have been faster. */
const CHANGE = (set: string) => `
  UPDATE ${TABLE} AS t SET ${set}, state_seq = state_seq + 1, changed_at = clock_timestamp()
  FROM account_kit.smart_accounts AS a
  WHERE t.id = $1 AND state = ANY($2::text[]) AND a.id = t.account_id
  RETURNING t.id, client_id, solana_addresses ->> network AS account, network, signature, state, state_seq, accepted_at,
    changed_at`;

const EVENT = `jsonb_build_object('type', 'transaction.changed', 'clientId', changed.client_id, 'account', changed.account,
  'network', changed.network, 'txSignature', changed.signature)`;

const changedRows = z.array(
  z.object({ transactionId: z.string(), state: solanaTransactionState, stateSeq: z.int() }),
);

interface StateChange {
  readonly from: readonly SolanaTransactionState[];
  /** The states that `set` may write. */
  readonly to: readonly SolanaTransactionState[];
  /** SQL of the columns. */
  readonly set: string;
  /** Of `set`, from $3. */
  readonly parameters?: readonly unknown[];
}

/** A block may hold it. */
const SENT_STATES = ['signed', 'submitted', 'included'] as const;

const outcomeRow = z.object({
  state: solanaTransactionState,
  reason: z.string().nullable(),
  response: z.looseObject({}).nullable(),
});
export type TransactionOutcome = z.infer<typeof outcomeRow>;

export interface NewTransaction {
  readonly id: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly network: SolanaNetwork;
  readonly transaction: SolanaTransaction;
  readonly acceptedBlockHeight: bigint;
  /** Base58 address, unless the account pays the fee. */
  readonly sponsor: string | undefined;
  /** Milliseconds after which the worker signs it, unless the request has. */
  readonly leaseMs: number;
}

/** Where a transaction landed. */
export interface Landing {
  readonly slot: bigint;
  /** As nodes write it; null if it succeeded. */
  readonly err: unknown;
}

@Injectable()
export class SolanaTransactionRepository {
  constructor(
    private readonly database: Database,
    private readonly hooks: TransactionStateHooks,
    private readonly events: StateEventsService,
  ) {}

  /** Undefined if the same message is stored already, of this account or another. */
  async insert(manager: EntityManager, row: NewTransaction): Promise<StoredTransaction | undefined> {
    const { transaction } = row;
    const rows = await queryRows(manager, INSERT, [
      row.id,
      row.accountId,
      row.clientId,
      row.network,
      Buffer.from(transaction.message),
      hashMessage(transaction.message),
      Buffer.concat(transaction.signatures),
      transaction.blockhash,
      row.acceptedBlockHeight,
      row.sponsor ?? null,
      row.leaseMs,
    ]);
    const stored = parseFirst(rows);
    if (stored) await this.hooks.run(manager, [{ transactionId: row.id, state: 'accepted', stateSeq: 1 }]);
    return stored;
  }

  async countUnfinished(manager: EntityManager, accountId: string): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM ${TABLE} WHERE account_id = $1 AND ${IS_UNFINISHED}`;
    const [row] = z.tuple([z.object({ count: z.int() })]).parse(await queryRows(manager, sql, [accountId]));
    return row.count;
  }

  /** The transaction with the same message, unless it was rejected. */
  async findByMessage(network: SolanaNetwork, message: Uint8Array): Promise<StoredTransaction | undefined> {
    const sql = `SELECT ${COLUMNS} FROM ${TABLE} WHERE network = $1 AND message_hash = $2 AND state <> 'rejected'`;
    return parseFirst(await this.database.query(sql, [network, hashMessage(message)]));
  }

  async find(id: string): Promise<StoredTransaction | undefined> {
    return parseFirst(await this.database.query(`SELECT ${COLUMNS} FROM ${TABLE} WHERE id = $1`, [id]));
  }

  async findOutcome(key: {
    readonly accountId: string;
    readonly network: SolanaNetwork;
    readonly signature: string;
  }): Promise<TransactionOutcome | undefined> {
    const sql = `SELECT state, reason, response FROM ${TABLE} WHERE account_id = $1 AND network = $2 AND signature = $3`;
    const rows = await this.database.query(sql, [key.accountId, key.network, key.signature]);
    return z.array(outcomeRow).parse(rows)[0];
  }

  /** Claims transactions to work on; client applications take turns. */
  async claim(limit: number, leaseMs: number): Promise<StoredTransaction[]> {
    const rows = await queue.claimInTurns(this.database, { limit, leaseMs, columns: COLUMNS });
    return z.array(storedTransaction).parse(rows);
  }

  /** Stores all signatures; the transaction is due at once. */
  async markSigned(id: string, signatures: Buffer, signature: string): Promise<void> {
    const set = "state = 'signed', signatures = $3, signature = $4, next_attempt_at = now()";
    await this.change(id, { from: ['accepted'], to: ['signed'], set, parameters: [signatures, signature] });
  }

  /** Only a transaction that is not signed can be rejected: no node knows it. */
  async markRejected(id: string, reason: string): Promise<void> {
    const set = "state = 'rejected', reason = $3, next_attempt_at = NULL";
    await this.change(id, { from: ['accepted'], to: ['rejected'], set, parameters: [reason] });
  }

  /** Before it is sent. */
  async markSubmitted(id: string): Promise<void> {
    await this.change(id, { from: ['signed'], to: ['submitted'], set: "state = 'submitted'" });
  }

  /** The block that held it was dropped, so it counts for caps again as before. */
  async markDropped(id: string): Promise<void> {
    const set = "state = 'submitted', slot = NULL, err = NULL";
    await this.database.transaction(async (manager) => {
      await this.update(manager, id, { from: ['included'], to: ['submitted'], set });
      await settleTransactions(manager, [id]);
    });
  }

  async isFrozen(id: string): Promise<boolean> {
    const sql = `SELECT ${isTransactionFrozen('t')} AS "isFrozen" FROM ${TABLE} AS t WHERE id = $1`;
    const rows = z.array(z.object({ isFrozen: z.boolean() })).parse(await this.database.query(sql, [id]));
    return rows.some(({ isFrozen }) => isFrozen);
  }

  async markIncluded(id: string, { slot, err }: Landing): Promise<void> {
    const set = "state = 'included', slot = $3, err = $4";
    const parameters = [slot, toJson(err)];
    await this.change(id, { from: ['signed', 'submitted'], to: ['included'], set, parameters });
  }

  /** @param response of getTransaction */
  async markFinal(id: string, { slot, err }: Landing, response: unknown): Promise<void> {
    const set = `state = CASE WHEN $4::jsonb IS NULL THEN 'final' ELSE 'reverted' END,
      slot = $3, err = $4, response = $5, next_attempt_at = NULL`;
    const parameters = [slot, toJson(err), toJson(response)];
    await this.change(id, { from: SENT_STATES, to: ['final', 'reverted'], set, parameters });
  }

  async markExpired(id: string): Promise<void> {
    const set = "state = 'expired', reason = 'blockhash_expired', next_attempt_at = NULL";
    await this.change(id, { from: SENT_STATES, to: ['expired'], set });
  }

  private async change(id: string, change: StateChange): Promise<void> {
    await this.hooks.runWith(this.database, change.to, (manager) => this.update(manager, id, change));
  }

  private async update(
    manager: EntityManager,
    id: string,
    { from, set, parameters = [] }: StateChange,
  ): Promise<void> {
    const rows = await this.events.update(manager, {
      update: CHANGE(set),
      event: EVENT,
      columns: 'id AS "transactionId", state, state_seq AS "stateSeq"',
      parameters: [id, from, ...parameters],
    });
    await this.hooks.run(manager, changedRows.parse(rows));
  }
}

const hashMessage = (message: Uint8Array): Buffer => createHash('sha256').update(message).digest();

const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

const parseFirst = (rows: unknown[]): StoredTransaction | undefined =>
  z.array(storedTransaction).parse(rows)[0];
