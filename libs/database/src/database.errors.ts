import { AppError, serviceUnavailable } from '@app/common';
import pg from 'pg';
import {
  CannotExecuteNotConnectedError,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';

/**
 * PostgreSQL refused a statement. Carries neither the statement's parameters nor the row's values, as TypeORM's and
 * pg's errors do: this one may be logged.
 */
export class StatementError extends Error {
  override readonly name = 'StatementError';

  constructor(
    message: string,
    /** SQLSTATE, for instance `23505` for a unique violation. */
    readonly sqlState: string,
    readonly constraint: string | undefined,
  ) {
    super(message);
  }
}

/**
 * SQLSTATEs that say something about the server's state rather than about our statement: connection exceptions,
 * authorization, missing database, insufficient resources, operator intervention (also a statement's time-out), and
 * what a concurrent transaction can cause. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_SQL_STATES = /^(?:08|28|3D|53|57|40|55P03|25P0[34])/;

/** TypeORM's ways to say that the connection went away between two statements. */
const CONNECTION_LOST_ERRORS = [
  CannotExecuteNotConnectedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
];

/** The 503 of a request that the database had no answer for. */
export const databaseUnavailable = (cause: unknown): AppError =>
  serviceUnavailable(
    'database_unavailable',
    'The service cannot reach its data at the moment.',
    { retryAfter: 1 },
    { cause },
  );

/** What a failed statement means: 503 when the database is away, StatementRefused when the statement is to blame. */
export function toDatabaseError(error: unknown): unknown {
  if (CONNECTION_LOST_ERRORS.some((kind) => error instanceof kind)) return databaseUnavailable(error);
  if (!(error instanceof QueryFailedError)) return error;
  const cause: unknown = error.driverError;
  // Whatever pg reports without a SQLSTATE was not said by the server: the connection broke or went silent.
  if (!(cause instanceof pg.DatabaseError) || cause.code === undefined) return databaseUnavailable(cause);
  if (UNAVAILABLE_SQL_STATES.test(cause.code)) return databaseUnavailable(cause);
  return new StatementError(cause.message, cause.code, cause.constraint);
}
