import { setTimeout as sleep } from 'node:timers/promises';
import { formatErrorReason, AppError, requireWritable } from '@app/common';
import type { Logger } from 'pino';
import {
  ConnectionIsNotSetError,
  type DataSource,
  QueryFailedError,
  TypeORMError,
  type EntityManager,
  type QueryRunner,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import pg, { type PoolClient } from 'pg';
import { z } from 'zod';
import {
  MIGRATIONS_TABLE,
  INT8_AS_BIGINT_TYPES,
  PreparingClient,
  toStatementName,
} from './create-data-source.js';
import { querySequence, type Statement } from './reach-ins/query-sequence.js';
import { traceStatement } from './trace-statement.js';
import {
  databaseUnavailable,
  isDiskFull,
  StatementError,
  toDatabaseError,
  toStatementFailure,
  wasPlanOutdated,
} from './database.errors.js';

const MIN_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 5_000;

/**
 * Connects with exponential backoff until PostgreSQL answers or the signal aborts.
 * @throws TypeORMError for invalid entities, which no retry can fix
 */
async function connectWithRetry(dataSource: DataSource, logger: Logger, stop: AbortSignal): Promise<void> {
  for (let pause = MIN_RETRY_DELAY_MS; !stop.aborted; pause = Math.min(2 * pause, MAX_RETRY_DELAY_MS)) {
    try {
      await dataSource.initialize();
      logger.info('database connected');
      return;
    } catch (error) {
      if (error instanceof TypeORMError && !(error instanceof QueryFailedError)) throw error;
      await closeHalfOpen(dataSource);
      logger.warn({ reason: formatErrorReason(error), retryInMs: pause }, 'database connection failed');
      await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
    }
  }
}

/** Closes the pool that `initialize` leaves open when the server stops while TypeORM reads its version. */
async function closeHalfOpen({ driver }: DataSource): Promise<void> {
  try {
    await driver.disconnect();
  } catch (error) {
    if (!(error instanceof ConnectionIsNotSetError)) throw error;
  }
}

const callbacksByRunner = new WeakMap<QueryRunner, (() => void)[]>();

/**
 * Runs the callback after the manager's transaction has committed, never after a rollback, and at once without a
 * transaction. Only for notifications that may be lost: it does not run when the process ends in between.
 */
export function runAfterCommit(manager: EntityManager, callback: () => void): void {
  const { queryRunner } = manager;
  if (!queryRunner) throw new Error('Needs a manager of Database.withConnection or Database.transaction.');
  if (!queryRunner.isTransactionActive) {
    callback();
    return;
  }
  callbacksByRunner.set(queryRunner, [...(callbacksByRunner.get(queryRunner) ?? []), callback]);
}

function runCommitCallbacks(runner: QueryRunner): void {
  for (const callback of callbacksByRunner.get(runner) ?? []) callback();
  callbacksByRunner.delete(runner);
}

const migrationRows = z.array(z.object({ name: z.string() }));

function formatMigrationsTable(dataSource: DataSource): string {
  const { schema } = dataSource.options as { schema: string };
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(MIGRATIONS_TABLE)}`;
}

/** Names of this build's migrations that are not applied. */
async function listPendingMigrations(dataSource: DataSource, runner: QueryRunner): Promise<string[]> {
  const known = dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
  const table = formatMigrationsTable(dataSource);
  const [{ exists }] = z
    .tuple([z.object({ exists: z.boolean() })])
    .parse(await runner.query('SELECT to_regclass($1) IS NOT NULL AS exists', [table]));
  if (!exists) return known;
  const applied = migrationRows
    .parse(await runner.query(`SELECT name FROM ${table}`))
    .map(({ name }) => name);
  return known.filter((name) => !applied.includes(name));
}

/** Closes a runner's connection, so that the pool does not reuse it. The caller still releases the runner. */
async function discardConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as PoolClient & { end: () => Promise<void> };
  // The end is not awaited, because the server may not answer; it never rejects.
  void client.end();
}

/** Writes about a megabyte that cannot be compressed: a disk that has room for a page or two is full for an app. */
const WRITE_PAGES = `
  CREATE TEMPORARY TABLE gatehouse_write_test ON COMMIT DROP AS
    SELECT md5(random()::text) AS text FROM generate_series(1, 20000)`;

/**
 * An app's connection pool. As a Nest provider (`createDatabaseProvider`) it connects in the background with retries, so
 * that an app starts and stays up while PostgreSQL is unavailable, and closes after the app's last response.
 *
 * Every method throws AppError 503 `database_unavailable` when PostgreSQL is unavailable, overloaded or does not answer,
 * and StatementError when it rejects a statement.
 */
export class Database {
  private readonly closing = new AbortController();
  private connecting: Promise<void> | undefined;
  /** Whether PostgreSQL refused a statement because its disk is full, since it last wrote. */
  private isDiskFull = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.connecting = connectWithRetry(this.dataSource, this.logger, this.closing.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  /** Connects without retries, for commands. */
  async connect(): Promise<void> {
    await this.dataSource.initialize();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connecting;
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /** Readiness check: PostgreSQL answers, takes writes and has every migration of this build. */
  async check(): Promise<void> {
    const pending = await this.withRunner(async (runner) => {
      try {
        await requireWritable(async (sql) => ({ rows: (await runner.query(sql)) as unknown[] }));
      } catch (error) {
        // The next connection may reach another server.
        await discardConnection(runner);
        throw error;
      }
      return listPendingMigrations(this.dataSource, runner);
    });
    if (pending.length > 0) throw new Error(`pending migrations: ${pending.join(', ')}`);
    if (this.isDiskFull) await this.tryToWrite();
  }

  /** The rows of one statement, also of `INSERT … RETURNING`. They are not validated: parse them. */
  query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    return traceStatement(sql, () => this.queryOnce((client) => client.query(sql, parameters)));
  }

  /**
   * As `query`, for a frequent statement that writes nothing and whose text never changes: each connection keeps its plan, which saves
   * PostgreSQL more work than it takes to read a row by its key. Where a migration has outdated the plan, the connection is closed and the
   * statement runs again without it: behind PgBouncer the next connection would meet the same plan.
   */
  async queryPrepared(sql: string, parameters: unknown[]): Promise<unknown[]> {
    const statement = { name: toStatementName(sql), text: sql, values: parameters };
    try {
      return await traceStatement(sql, () => this.queryOnce((client) => client.query(statement)));
    } catch (error) {
      if (!wasPlanOutdated(error)) throw error;
      return this.query(sql, parameters);
    }
  }

  /**
   * The rows of statements that run as one transaction in one round trip, where none depends on what another returns. Each sees what was
   * committed before it began: what one waits for with a lock, the next one sees, and the lock is held to the end.
   */
  queryTogether(statements: readonly Statement[]): Promise<unknown[][]> {
    const run = (): Promise<unknown[][]> =>
      this.withRunner(async (runner) => {
        const client = (await runner.connect()) as PoolClient;
        const toName = client instanceof PreparingClient ? toStatementName : () => undefined;
        try {
          return await querySequence(client, statements, { types: INT8_AS_BIGINT_TYPES, toName });
        } catch (error) {
          throw new QueryFailedError('statements together', [], error as Error);
        }
      });
    return traceStatement(statements.at(-1)?.sql ?? '', run);
  }

  /** Runs work on one connection, without a transaction. */
  withConnection<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.withRunner((runner) => work(runner.manager));
  }

  /**
   * Runs work in one transaction at read committed. All statements inside must use the given manager: any other takes a
   * second connection of a small pool, and concurrent transactions that do so deadlock.
   */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.withRunner(async (runner) => {
      await runner.startTransaction();
      let result: T;
      try {
        result = await work(runner.manager);
        await runner.commitTransaction();
      } catch (error) {
        await this.rollBack(runner);
        throw error;
      }
      runCommitCallbacks(runner);
      return result;
    });
  }

  /** Runs work in a transaction as `transaction` does, and rolls back what it has written, also when it succeeds. */
  dryRun<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.withRunner(async (runner) => {
      await runner.startTransaction();
      try {
        return await work(runner.manager);
      } finally {
        await this.rollBack(runner);
      }
    });
  }

  /** Fills pages of a table that no other session sees, and rolls them back. */
  private async tryToWrite(): Promise<void> {
    try {
      await this.dryRun((manager) => manager.query(WRITE_PAGES));
    } catch (error) {
      if (isDiskFull(error)) throw new Error('the disk of PostgreSQL is full');
      // Without the right to make temporary tables only the next write of the app can tell.
      if (!(error instanceof StatementError)) throw error;
    }
    this.isDiskFull = false;
  }

  private async rollBack(runner: QueryRunner): Promise<void> {
    try {
      await runner.rollbackTransaction();
    } catch (error) {
      // The connection's state is unknown; the server rolls back when it is closed.
      this.logger.warn({ reason: formatErrorReason(error) }, 'rollback failed, closing the connection');
      await discardConnection(runner);
    }
  }

  /**
   * Runs one statement on a connection of the pool, without a query runner of TypeORM, whose entity manager, listeners and broadcasts are a
   * sixth of the processor time of a statement: 68 instead of 81 µs.
   */
  private async queryOnce(
    send: (client: PoolClient) => Promise<{ readonly rows: unknown[] }>,
  ): Promise<unknown[]> {
    if (!this.dataSource.isInitialized) throw databaseUnavailable(new Error('not connected yet'));
    const [client, release] = await this.takeConnection();
    try {
      const { rows } = await send(client);
      release();
      return rows;
    } catch (error) {
      const failure = toStatementFailure(error);
      if (isDiskFull(failure)) this.isDiskFull = true;
      // A statement that is still running would delay the next user of this connection: the pool closes it.
      release(isUnavailable(failure));
      throw this.logIfUnavailable(failure);
    }
  }

  private async takeConnection(): Promise<[PoolClient, (destroy?: boolean) => void]> {
    try {
      return (await (this.dataSource.driver as PostgresDriver).obtainMasterConnection()) as [
        PoolClient,
        (destroy?: boolean) => void,
      ];
    } catch (error) {
      throw this.logIfUnavailable(databaseUnavailable(error));
    }
  }

  private async withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    if (!this.dataSource.isInitialized) throw databaseUnavailable(new Error('not connected yet'));
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.connect();
    } catch (error) {
      throw this.logIfUnavailable(databaseUnavailable(error));
    }
    try {
      return await work(runner);
    } catch (error) {
      const failure = toDatabaseError(error);
      if (isDiskFull(failure)) this.isDiskFull = true;
      // A statement that is still running would delay the next user of this connection.
      if (failure !== error && isUnavailable(failure)) await discardConnection(runner);
      throw this.logIfUnavailable(failure);
    } finally {
      await runner.release();
    }
  }

  private logIfUnavailable(failure: unknown): unknown {
    if (isUnavailable(failure))
      this.logger.warn({ reason: formatErrorReason(failure.cause) }, 'database unavailable');
    return failure;
  }
}

const isUnavailable = (failure: unknown): failure is AppError =>
  failure instanceof AppError && failure.details['code'] === 'database_unavailable';

/** What runs a statement: the manager of a transaction, or the database with a connection for each statement. */
export type Queryable = Database | EntityManager;

/** The rows of one statement, also of `INSERT … RETURNING`. They are not validated: parse them. */
export async function queryRows(db: Queryable, sql: string, parameters: unknown[] = []): Promise<unknown[]> {
  if (db instanceof Database) return db.query(sql, parameters);
  const { queryRunner } = db;
  if (!queryRunner) throw new Error('Needs a manager of Database.withConnection or Database.transaction.');
  return traceStatement(sql, async () => {
    const { records } = await queryRunner.query(sql, parameters, true);
    return records as unknown[];
  });
}

/** Serializes transactions that lock the same name. Waits for the lock, and holds it until the transaction ends. */
export async function lockTransaction(manager: EntityManager, name: string): Promise<void> {
  await queryRows(manager, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}
