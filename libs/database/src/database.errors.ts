import { AppError, serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';
import pg from 'pg';
import {
  CannotExecuteNotConnectedError,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';

/**
 * PostgreSQL rejected a statement. Unlike the errors of TypeORM and pg it has neither the parameters nor row values, so
 * that it may be logged.
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
 * SQLSTATEs of the server's state instead of the statement: connection, authorization, missing database, insufficient
 * resources (a full disk), operator intervention (includes the statement timeout), input and output errors, a server that became read-only,
 * lock timeouts, serialization failures, deadlocks and idle timeouts. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_SQL_STATES = /^(?:08|28|3D|53|57|58|40|25006|55P03|25P0[34])/;

/** A migration has changed a type that a kept plan returns: a new connection plans it again. */
const isOutdatedPlan = ({ code, message }: pg.DatabaseError): boolean =>
  code === '0A000' && message.startsWith('cached plan');

/** Whether a statement failed, as `toStatementFailure` says it, because its kept plan is outdated. */
export const wasPlanOutdated = (failure: unknown): boolean =>
  failure instanceof AppError && failure.cause instanceof pg.DatabaseError && isOutdatedPlan(failure.cause);

/** TypeORM's errors for a connection that was lost between two statements. */
const CONNECTION_LOST_ERRORS = [
  CannotExecuteNotConnectedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
];

export const databaseUnavailable = (cause: unknown): AppError =>
  serviceUnavailable(
    'database_unavailable',
    'The service cannot reach its data at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.turn },
    { cause },
  );

/** Converts an error of TypeORM: to a 503 when the database is unavailable, to a StatementError when it rejected the statement. */
export function toDatabaseError(error: unknown): unknown {
  if (CONNECTION_LOST_ERRORS.some((kind) => error instanceof kind)) return databaseUnavailable(error);
  return error instanceof QueryFailedError ? toStatementFailure(error.driverError) : error;
}

/** Converts an error of pg, as `toDatabaseError` converts what TypeORM makes of it. */
export function toStatementFailure(cause: unknown): AppError | StatementError {
  // An error without a SQLSTATE is the client's: the connection was lost or timed out.
  if (!(cause instanceof pg.DatabaseError) || cause.code === undefined) return databaseUnavailable(cause);
  if (UNAVAILABLE_SQL_STATES.test(cause.code) || isOutdatedPlan(cause)) return databaseUnavailable(cause);
  return new StatementError(cause.message, cause.code, cause.constraint);
}

const DISK_FULL = '53100';

export const isDiskFull = (failure: unknown): boolean =>
  failure instanceof AppError &&
  failure.cause instanceof pg.DatabaseError &&
  failure.cause.code === DISK_FULL;

/** Lock timeouts, serialization failures and deadlocks. */
const ROLLED_BACK_SQL_STATES = /^(?:40|55P03)/;

/** Whether it is certain that nothing of the transaction was committed, so that its parts may be tried alone. */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof StatementError ||
  (error instanceof AppError &&
    error.cause instanceof pg.DatabaseError &&
    ROLLED_BACK_SQL_STATES.test(error.cause.code ?? ''));
