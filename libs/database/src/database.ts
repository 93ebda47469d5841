import { AppError } from '@app/common';
import type { Logger } from 'pino';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { runCommitCallbacks } from './run-after-commit.js';
import { connectWithRetry } from './connect-with-retry.js';
import { databaseUnavailable, toDatabaseError } from './database.errors.js';
import { listPendingMigrations } from './list-pending-migrations.js';
import { formatErrorReason } from './format-error-reason.js';
import type { PoolClient } from 'pg';

/** Ends the connection that a runner holds, so that the pool does not hand it out again. Release the runner after. */
export async function discardConnection(runner: QueryRunner): Promise<void> {
  const client = (await runner.connect()) as PoolClient & { end: () => Promise<void> };
  // Not awaited: the other side may be silent. It resolves when the socket has closed and never rejects.
  void client.end();
}

/**
 * An app's way to its database. As a Nest provider it connects in the background as long as it takes, so that an app
 * starts and stays up while PostgreSQL is away, and closes when the app has answered its last request:
 *
 *     { provide: Database, inject: […, ServiceContext], useFactory: (…, { logger, readiness }) => {
 *         const database = new Database(createDataSource({ … }), logger);
 *         readiness.require('database', () => database.check());
 *         return database;
 *     } }
 *
 * Every method throws AppError 503 `database_unavailable` when PostgreSQL is away, busy or silent, and
 * StatementRefused when it refuses a statement.
 */
export class Database {
  private readonly closing = new AbortController();
  private connecting: Promise<void> | undefined;

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

  /** One attempt, for commands that have nothing to do without a database. */
  async connect(): Promise<void> {
    await this.dataSource.initialize();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.connecting;
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /** For readiness: PostgreSQL answers and has every migration of this build. */
  async check(): Promise<void> {
    const pending = await this.withRunner((runner) => listPendingMigrations(this.dataSource, runner));
    if (pending.length > 0) throw new Error(`migrations to apply: ${pending.join(', ')}`);
  }

  /** The rows of one statement, also of `INSERT … RETURNING`. They come from outside: parse them. */
  query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    return this.withRunner(async (runner) => {
      const { records } = await runner.query(sql, parameters, true);
      return records as unknown[];
    });
  }

  /** Work on one connection, each statement for itself. */
  withConnection<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.withRunner((runner) => work(runner.manager));
  }

  /**
   * All or nothing, at read committed. Do everything inside through the manager that is handed out: what goes another
   * way takes a second connection of a small pool, and enough of those at once wait for each other for ever.
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

  private async rollBack(runner: QueryRunner): Promise<void> {
    try {
      await runner.rollbackTransaction();
    } catch (error) {
      // Nobody knows what state the connection is in: the server rolls back when it is gone.
      this.logger.warn({ reason: formatErrorReason(error) }, 'could not roll back, dropping the connection');
      await discardConnection(runner);
    }
  }

  private async withRunner<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    if (!this.dataSource.isInitialized) throw databaseUnavailable(new Error('not connected yet'));
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.connect();
    } catch (error) {
      throw this.reported(databaseUnavailable(error));
    }
    try {
      return await work(runner);
    } catch (error) {
      const failure = toDatabaseError(error);
      // A statement that is still under way would hold up whoever gets this connection next.
      if (failure !== error && isUnavailable(failure)) await discardConnection(runner);
      throw this.reported(failure);
    } finally {
      await runner.release();
    }
  }

  private reported(failure: unknown): unknown {
    if (isUnavailable(failure))
      this.logger.warn({ reason: formatErrorReason(failure.cause) }, 'database unavailable');
    return failure;
  }
}

const isUnavailable = (failure: unknown): failure is AppError =>
  failure instanceof AppError && failure.details['code'] === 'database_unavailable';
