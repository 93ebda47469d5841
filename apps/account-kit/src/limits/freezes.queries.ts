import { type Database, lockTransaction, type Queryable, queryRows, type Statement } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { freezesOf } from './is-frozen.js';
import { frozen } from './freezes.errors.js';

export const freezeScope = z.enum(['account', 'application', 'chain', 'paymaster', 'everything']);
export type FreezeScope = z.infer<typeof freezeScope>;

/**
 * What is frozen. The subject is the id of an account, a client id, an EVM chain id or Solana network (also of a paymaster), or empty
 * for everything.
 */
export interface FreezeTarget {
  readonly scope: FreezeScope;
  readonly subject: string;
}

/** The account and the client application that want to sign, and the chain; a custom action has no chain. */
interface FreezableRequest {
  readonly accountId: string;
  readonly clientId: string;
  readonly chain?: string;
  readonly paymaster?: string | undefined;
}

const SCOPE = `(SELECT f.scope ${freezesOf({ account: 'asked.account', client: 'asked.client', chain: 'asked.chain', paymaster: 'asked.paymaster' })} LIMIT 1) AS scope`;
const scopeRows = z.array(z.object({ scope: freezeScope.nullable() }));
const toParameters = (requests: readonly FreezableRequest[]): unknown[] => [
  requests.map(({ accountId }) => accountId),
  requests.map(({ clientId }) => clientId),
  requests.map(({ chain }) => chain ?? null),
  requests.map(({ paymaster }) => paymaster ?? null),
];

/** @throws AppError 403 `frozen` */
export async function checkFrozen(db: Queryable, request: FreezableRequest): Promise<void> {
  const rows = await queryRows(
    db,
    `SELECT ${SCOPE} FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS asked (account, client, chain, paymaster)`,
    toParameters([request]),
  );
  const scope = scopeRows.parse(rows)[0]?.scope;
  if (scope) throw frozen(scope);
}

/**
 * JSON, of whose length PostgreSQL makes no difference, so that it plans the statement once. For arrays it plans each
 * time.
 */
const toRecord = ({
  accountId,
  clientId,
  chain,
  paymaster,
  lock,
}: FreezableRequest & { readonly lock: string }) => ({
  account: accountId,
  client: clientId,
  chain,
  paymaster,
  lock,
});

interface LockStatement extends Statement {
  /** @returns for each request what is frozen of it, or null */
  readonly readScopes: (rows: readonly unknown[]) => (FreezeScope | null)[];
}

/** Takes the lock of each request until the end of the transaction, in the order of their names, and finds freezes in the same statement. */
export function toLockStatement(
  requests: readonly (FreezableRequest & { readonly lock: string })[],
): LockStatement {
  const ordered = requests
    .map((request, index) => ({ request, index }))
    .sort((one, other) => (one.request.lock < other.request.lock ? -1 : 1));
  const sql = `SELECT pg_advisory_xact_lock(hashtextextended(asked.lock, 0)), ${SCOPE}
     FROM jsonb_to_recordset($1) AS asked (account text, client text, chain text, paymaster text, lock text)`;
  return {
    sql,
    parameters: [JSON.stringify(ordered.map(({ request }) => toRecord(request)))],
    readScopes: (rows) => {
      const scopes = scopeRows.parse(rows);
      const byIndex = new Map(ordered.map(({ index }, place) => [index, scopes[place]?.scope ?? null]));
      return requests.map((_, index) => byIndex.get(index) ?? null);
    },
  };
}

/** Runs `toLockStatement`. */
export async function lockUnlessFrozen(
  manager: EntityManager,
  requests: readonly (FreezableRequest & { readonly lock: string })[],
): Promise<(FreezeScope | null)[]> {
  const { sql, parameters, readScopes } = toLockStatement(requests);
  return readScopes(await queryRows(manager, sql, [...parameters]));
}

const FREEZES_LOCK = 'freezes';

/** What is stored as sent in this transaction is sent before the next freeze; a freeze that is made now comes first. */
export const HOLD_FREEZES: Statement = {
  sql: 'SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
  parameters: [FREEZES_LOCK],
};

/** Runs HOLD_FREEZES. */
export async function holdFreezes(manager: EntityManager): Promise<void> {
  await queryRows(manager, HOLD_FREEZES.sql, [...HOLD_FREEZES.parameters]);
}

/** Freezes a target. When the promise resolves, nothing more of the target is stored as sent. */
export function freeze(database: Database, { scope, subject }: FreezeTarget, reason: string): Promise<void> {
  return database.transaction(async (manager) => {
    await lockTransaction(manager, FREEZES_LOCK);
    await queryRows(
      manager,
      `INSERT INTO account_kit.freezes (scope, subject, reason) VALUES ($1, $2, $3)
       ON CONFLICT (scope, subject) DO UPDATE SET reason = excluded.reason`,
      [scope, subject, reason],
    );
  });
}

/** @returns false if it is not frozen */
export async function unfreeze(db: Queryable, { scope, subject }: FreezeTarget): Promise<boolean> {
  const rows = await queryRows(
    db,
    'DELETE FROM account_kit.freezes WHERE scope = $1 AND subject = $2 RETURNING scope',
    [scope, subject],
  );
  return rows.length === 1;
}

const freezeRows = z.array(
  z.object({
    scope: freezeScope,
    subject: z.string(),
    /** The EVM address of a frozen account. */
    address: z.string().nullable(),
    reason: z.string(),
    frozenAt: z.date(),
  }),
);

export async function listFreezes(db: Queryable): Promise<z.infer<typeof freezeRows>> {
  const rows = await queryRows(
    db,
    `SELECT scope, subject, evm_address AS address, reason, frozen_at AS "frozenAt"
     FROM account_kit.freezes LEFT JOIN account_kit.smart_accounts AS a ON scope = 'account' AND a.id::text = subject
     ORDER BY frozen_at`,
  );
  return freezeRows.parse(rows);
}

/** @param address EVM or Solana address of a smart account */
export async function findAccountId(db: Queryable, address: string): Promise<string | undefined> {
  const rows = await queryRows(
    db,
    `SELECT id FROM account_kit.smart_accounts
     WHERE lower(evm_address) = lower($1) OR solana_addresses ->> 'SOL' = $1 OR solana_addresses ->> 'SOL_DEVNET' = $1`,
    [address],
  );
  return z.array(z.object({ id: z.string() })).parse(rows)[0]?.id;
}
