import { AppError } from '@app/common';
import type { Logger } from 'pino';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { callAfterCommit } from './after-commit.js';
import { connectWithPatience } from './connect-with-patience.js';
import { databaseUnavailable, toDatabaseFailure } from './database-failure.js';
import { discardConnection } from './discard-connection.js';
import { pendingMigrations } from './pending-migrations.js';
import { reasonOf } from './reason-of.js';

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
    this.connecting = connectWithPatience(this.dataSource, this.logger, this.closing.signal);
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
    const pending = await this.withRunner((runner) => pendingMigrations(this.dataSource, runner));
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
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
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
      callAfterCommit(runner);
      return result;
    });
  }

  private async rollBack(runner: QueryRunner): Promise<void> {
    try {
      await runner.rollbackTransaction();
    } catch (error) {
      // Nobody knows what state the connection is in: the server rolls back when it is gone.
      this.logger.warn({ reason: reasonOf(error) }, 'could not roll back, dropping the connection');
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
      const failure = toDatabaseFailure(error);
      // A statement that is still under way would hold up whoever gets this connection next.
      if (failure !== error && isUnavailable(failure)) await discardConnection(runner);
      throw this.reported(failure);
    } finally {
      await runner.release();
    }
  }

  private reported(failure: unknown): unknown {
    if (isUnavailable(failure)) this.logger.warn({ reason: reasonOf(failure.cause) }, 'database unavailable');
    return failure;
  }
}

const isUnavailable = (failure: unknown): failure is AppError =>
  failure instanceof AppError && failure.details['code'] === 'database_unavailable';
