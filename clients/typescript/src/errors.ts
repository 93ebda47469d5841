import type { ErrorCode as KnownErrorCode } from './openapi.js';

/** A code of docs/errors.md, one that a later release adds, or one of RFC 6749 from the OAuth operations. */
export type ErrorCode = KnownErrorCode | (string & {});

/** A field of a request that is not as it must be. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export interface ErrorFacts {
  readonly status: number;
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Gatehouse answered, and the answer is no success. Programs decide by `code`; people read `message`. */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  readonly status: number;
  /** Undefined where something before Gatehouse answered, such as a proxy. */
  readonly code: ErrorCode | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** How long `Retry-After` asks to wait, where the answer has it. */
  readonly retryAfterMs: number | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.details = facts.details ?? {};
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /** The fields that are wrong, where the request was. */
  get issues(): readonly Issue[] {
    const { issues } = this.details;
    return Array.isArray(issues) ? (issues as Issue[]) : [];
  }
}

/** No answer came: the network failed, the time-out passed, or what came is no answer of Gatehouse. `cause` says more. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The status of the redirect or the page that came in place of an answer; undefined where nothing came. */
  readonly status: number | undefined;

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number | undefined } = {}) {
    super(message, options);
    this.status = status;
  }
}

/** Reads `{ error: { message, details } }`, and OAuth's `{ error, error_description }`. */
export function toGatehouseError(
  response: Pick<Response, 'status' | 'statusText' | 'headers'>,
  body: unknown,
  retryAfterMs: number | undefined,
): GatehouseError {
  const { status, statusText, headers } = response;
  const error = isRecord(body) ? body['error'] : undefined;
  const envelope = isRecord(error) ? error : {};
  const details = isRecord(envelope['details']) ? envelope['details'] : {};
  const description = isRecord(body) ? body['error_description'] : undefined;
  return new GatehouseError({
    status,
    code: textOf(details['code']) ?? textOf(error),
    message:
      textOf(envelope['message']) ??
      textOf(description) ??
      textOf(error) ??
      `Status ${String(status)} ${statusText}`.trim(),
    details,
    requestId: textOf(details['requestId']) ?? headers.get('x-request-id') ?? undefined,
    retryAfterMs,
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
