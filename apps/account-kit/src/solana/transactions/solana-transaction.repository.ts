import { createHash } from 'node:crypto';
import { createBatcher } from '@app/common';
import { Database, RowQueue, type Statement } from '@app/database';
import { solanaTransactionState } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isTransactionFrozen } from '../../limits/is-frozen.js';
import type { RequestDeadline } from '../../request-deadline.js';
import { RENT_EXEMPT_LAMPORTS } from '../messages/solana-sponsor.config.js';
import type { SolanaTransaction } from '../messages/transaction/solana-transaction.js';
import { type SolanaNetwork, solanaNetwork } from '../messages/solana-network.js';
import type { SponsorFunds } from './judge-transaction.service.js';

/** A stored transaction, as far as the worker and the signer need it. */
const storedTransaction = z.object({
  id: z.uuid(),
  accountId: z.uuid(),
  /** The client application that submitted it. */
  clientId: z.string(),
  network: solanaNetwork,
  message: z.instanceof(Buffer),
  /** 64 bytes for each signer; zeros where the service has yet to sign. */
  signatures: z.instanceof(Buffer),
  /** Base58; null until it is signed. */
  signature: z.string().nullable(),
  blockhash: z.string(),
  /** Base58 address of the sponsor that pays the fee; null where the account does. */
  sponsor: z.string().nullable(),
  /** A height at which the cluster knew the blockhash. */
  acceptedBlockHeight: z.bigint(),
  state: solanaTransactionState,
  /** Whether the transaction has reserved parts of caps. */
  isCapped: z.boolean(),
});
export type StoredTransaction = z.infer<typeof storedTransaction>;

/** A transaction that is signed, so that its signature names it. */
export type SignedTransaction = StoredTransaction & { readonly signature: string };

export const isSigned = (transaction: StoredTransaction): transaction is SignedTransaction =>
  transaction.signature !== null;

/** Nothing is reserved for a transaction after it was accepted, so `isCapped` stays as it is. */
const COLUMNS = `id, account_id AS "accountId", client_id AS "clientId", network, message, signatures, signature, blockhash,
  sponsor, accepted_block_height AS "acceptedBlockHeight", state,
  EXISTS (SELECT FROM account_kit.cap_reservations AS r WHERE r.operation_id = solana_transactions.id) AS "isCapped"`;
const IS_UNFINISHED = "state IN ('accepted', 'signed', 'submitted', 'included')";

/** Each network has a queue of its own: transactions of a network whose nodes are away take no place in the claims of another. */
const queues = new Map(
  solanaNetwork.options.map((network) => [
    network,
    new RowQueue({
      table: 'account_kit.solana_transactions',
      dueAt: 'next_attempt_at',
      isWaiting: `${IS_UNFINISHED} AND network = '${network}'`,
      turnBy: 'client_id',
    }),
  ]),
);

/**
 * Inserts in the order of `place`: of several transactions of one account the first ones have room. Of the fees that a sponsor is to pay, those
 * in flight are not taken off its balance yet; without any the simulation has decided.
 */
const INSERT = `
  WITH asked AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY account_id, network ORDER BY ordinality) AS place,
      sum(fee) OVER (PARTITION BY network, sponsor ORDER BY ordinality) AS fees
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::bytea[], $8::text[], $9::bigint[],
      $10::text[], $11::int[], $12::float8[], $13::bigint[], $14::bigint[], $15::bigint[]) WITH ORDINALITY AS asked (id, account_id,
      client_id, network, message, message_hash, signatures, blockhash, accepted_block_height, sponsor, lease_ms, left_ms, fee,
      sponsor_lamports, max_fee, ordinality)
    WHERE NOT ${isTransactionFrozen('asked')}
  ), unfinished AS (
    SELECT account_id, network, count(*) AS count FROM account_kit.solana_transactions
    WHERE account_id = ANY($2::uuid[]) AND ${IS_UNFINISHED} GROUP BY account_id, network
  ), in_flight AS MATERIALIZED (
    SELECT network, sponsor, sum(coalesce(fee, (SELECT max(max_fee) FROM asked))) AS fees FROM account_kit.solana_transactions
    WHERE network = ANY($4::text[]) AND sponsor = ANY($10::text[]) AND state IN ('accepted', 'signed', 'submitted')
    GROUP BY network, sponsor
  ), judged AS MATERIALIZED (
    SELECT asked.*, coalesce(unfinished.count, 0) + place <= $16 AS has_room,
      sponsor IS NULL OR in_flight.fees IS NULL AND asked.fees = fee
        OR sponsor_lamports - coalesce(in_flight.fees, 0) - asked.fees >= ${RENT_EXEMPT_LAMPORTS} AS has_funds,
      clock_timestamp() < now() + left_ms * interval '1 ms' AS has_time
    FROM asked LEFT JOIN unfinished USING (account_id, network)
      LEFT JOIN in_flight USING (network, sponsor)
  ), inserted AS (
    INSERT INTO account_kit.solana_transactions (id, account_id, client_id, network, message, message_hash, signatures, blockhash,
      accepted_block_height, sponsor, fee, state, next_attempt_at)
    SELECT id, account_id, client_id, network, message, message_hash, signatures, blockhash, accepted_block_height, sponsor, fee,
      'accepted', now() + lease_ms * interval '1 ms'
    FROM judged WHERE has_room AND has_time AND has_funds
    ON CONFLICT DO NOTHING RETURNING id
  )
  SELECT judged.id, judged.has_room AS "hasRoom", judged.has_time AS "hasTime", judged.has_funds AS "hasFunds", inserted.id IS NOT NULL AS "isStored"
  FROM judged LEFT JOIN inserted USING (id)`;
const insertedRows = z.array(
  z.object({
    id: z.uuid(),
    hasRoom: z.boolean(),
    hasTime: z.boolean(),
    hasFunds: z.boolean(),
    isStored: z.boolean(),
  }),
);
export type InsertedRow = z.infer<typeof insertedRows>[number];

const oldestTransaction = z.object({ network: solanaNetwork, state: z.string(), seconds: z.number() });
type OldestTransaction = z.infer<typeof oldestTransaction>;

const outcomeRow = z.object({
  state: solanaTransactionState,
  reason: z.string().nullable(),
  slot: z.bigint().nullable(),
  /** As nodes write it; null if it succeeded. */
  err: z.unknown(),
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
  /** The most that it costs whoever pays for it, in lamports. */
  readonly fee: bigint;
  /** What pays the fee, unless the account does. */
  readonly sponsor: SponsorFunds | undefined;
  /** Milliseconds after which the worker rejects it, unless the request has signed it. */
  readonly leaseMs: number;
  /** The time that is left counts from the begin of the database's transaction on, because that may wait for locks. */
  readonly deadline: RequestDeadline;
}

interface MessageKey {
  readonly network: SolanaNetwork;
  readonly messageHash: Buffer;
}

@Injectable()
export class SolanaTransactionRepository {
  /** Requests at the same time share a statement, which starts after each of them. */
  private readonly byMessage = createBatcher((keys: readonly MessageKey[]) => this.findAllByMessage(keys), {
    batchWindowMs: 0,
  });

  constructor(private readonly database: Database) {}

  /** Stores transactions that are not frozen. To be run under a lock of each account; `readInserted` reads its rows. */
  toInsertStatement(rows: readonly NewTransaction[], maxUnfinished: number): Statement {
    const parameters = [
      rows.map(({ id }) => id),
      rows.map(({ accountId }) => accountId),
      rows.map(({ clientId }) => clientId),
      rows.map(({ network }) => network),
      rows.map(({ transaction }) => Buffer.from(transaction.message)),
      rows.map(({ transaction }) => hashMessage(transaction.message)),
      rows.map(({ transaction }) => Buffer.concat(transaction.signatures)),
      rows.map(({ transaction }) => transaction.blockhash),
      rows.map(({ acceptedBlockHeight }) => String(acceptedBlockHeight)),
      rows.map(({ sponsor }) => sponsor?.address ?? null),
      rows.map(({ leaseMs }) => leaseMs),
      rows.map(({ deadline }) => deadline.leftMs),
      rows.map(({ fee }) => String(fee)),
      rows.map(({ sponsor }) => (sponsor ? String(sponsor.lamports) : null)),
      rows.map(({ sponsor }) => (sponsor ? String(sponsor.maxLamports) : null)),
      maxUnfinished,
    ];
    return { sql: INSERT, parameters };
  }

  /**
   * @returns of each, by id, whether its account has room for it, whether its deadline was not past, and whether it is stored: not if the same message is stored already, of
   *   this account or another. Without those that are frozen.
   */
  readInserted(rows: readonly unknown[]): ReadonlyMap<string, InsertedRow> {
    return new Map(insertedRows.parse(rows).map((row) => [row.id, row]));
  }

  /** The transaction with the same message, unless it was rejected. */
  findByMessage(network: SolanaNetwork, message: Uint8Array): Promise<StoredTransaction | undefined> {
    return this.byMessage.load({ network, messageHash: hashMessage(message) });
  }

  async find(id: string): Promise<StoredTransaction | undefined> {
    const sql = `SELECT ${COLUMNS} FROM account_kit.solana_transactions WHERE id = $1`;
    return z.array(storedTransaction).parse(await this.database.query(sql, [id]))[0];
  }

  /** Whether operators have frozen what a stored transaction is of. */
  async isFrozen(id: string): Promise<boolean> {
    const sql = `SELECT id FROM account_kit.solana_transactions WHERE id = $1 AND ${isTransactionFrozen('solana_transactions')}`;
    return (await this.database.query(sql, [id])).length > 0;
  }

  async findOutcome(key: {
    readonly accountId: string;
    readonly network: SolanaNetwork;
    readonly signature: string;
  }): Promise<TransactionOutcome | undefined> {
    const sql = `SELECT state, reason, slot, err, response FROM account_kit.solana_transactions WHERE account_id = $1 AND network = $2 AND signature = $3`;
    const rows = await this.database.query(sql, [key.accountId, key.network, key.signature]);
    return z.array(outcomeRow).parse(rows)[0];
  }

  /** Ages of the oldest unfinished transactions, by network and state. */
  async loadOldestAges(): Promise<OldestTransaction[]> {
    const rows = await this.database.query(
      `SELECT network, state, extract(epoch FROM now() - min(accepted_at))::float AS seconds FROM account_kit.solana_transactions
       WHERE ${IS_UNFINISHED} GROUP BY network, state`,
    );
    return z.array(oldestTransaction).parse(rows);
  }

  /** Claims transactions of a network to work on; client applications take turns. */
  async claim(network: SolanaNetwork, limit: number, leaseMs: number): Promise<StoredTransaction[]> {
    const rows = await queues.get(network)?.claimInTurns(this.database, { limit, leaseMs, columns: COLUMNS });
    return z.array(storedTransaction).parse(rows ?? []);
  }

  private async findAllByMessage(keys: readonly MessageKey[]): Promise<(StoredTransaction | undefined)[]> {
    const rows = await this.database.query(
      `SELECT ${COLUMNS}, message_hash AS "messageHash" FROM account_kit.solana_transactions
       WHERE (network, message_hash) IN (SELECT * FROM unnest($1::text[], $2::bytea[])) AND state <> 'rejected'`,
      [keys.map(({ network }) => network), keys.map(({ messageHash }) => messageHash)],
    );
    const found = z.array(storedTransaction.extend({ messageHash: z.instanceof(Buffer) })).parse(rows);
    return keys.map((key) =>
      found.find((row) => row.network === key.network && row.messageHash.equals(key.messageHash)),
    );
  }
}

const hashMessage = (message: Uint8Array): Buffer => createHash('sha256').update(message).digest();
