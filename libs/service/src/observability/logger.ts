import { pino, type Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { getTraceId } from '@app/common';
import { SECRET_HEADERS } from '@app/openapi';
import type { LoggerService } from '@nestjs/common';

const MAX_BUFFERED_BYTES = 1024 * 1024;
/** As much as pino allows, less than 16 KiB. Each write wakes a thread of the pool: of 8 KiB each they took 4 % of the gateway's time. */
const BYTES_PER_WRITE = 16_000;

interface LogDestination {
  write(line: string): void;
  flush(callback: (error?: Error) => void): void;
}

/**
 * Standard output, buffered for up to 250 ms. While it is full, closed or blocked, lines are buffered up to a limit and then
 * dropped and counted: an app never waits for its log.
 */
export function createLogDestination(registry: Registry): LogDestination {
  const dropped = new Counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that standard output did not take.',
    registers: [registry],
  });
  // Makes a pipe non-blocking: a write that blocks would keep its thread, and with it the end of the process.
  const { fd } = process.stdout;
  const stream = pino.destination({
    dest: fd,
    sync: false,
    minLength: BYTES_PER_WRITE,
    periodicFlush: 250,
    maxLength: MAX_BUFFERED_BYTES,
  });
  // Replaces pino's own listener, which throws. The lines stay in the buffer, and each flush writes them again.
  stream.removeAllListeners('error').on('error', () => undefined);
  // pino calls it for a fatal error and when the process exits; it would write until it succeeds.
  stream.flushSync = () => undefined;
  stream.on('drop', () => {
    dropped.inc();
  });
  return {
    write: (line) => void stream.write(line),
    flush: (callback) => {
      stream.flush(callback);
    },
  };
}

export type { Logger } from 'pino';

/** Names of fields, and of headers, whose values are redacted, at the top level of a log line and one level below. */
const SECRET_FIELDS = [
  'authorization',
  'apiKey',
  'clientSecret',
  'cookie',
  'password',
  'secret',
  'token',
  'signature',
];
const redactedPaths = [...new Set([...SECRET_FIELDS, ...SECRET_HEADERS])].flatMap((name) => [
  `["${name}"]`,
  `*["${name}"]`,
]);

/** The logger of request lines, without redaction for speed: their fields are fixed and never secret. */
export const createRequestLogger = (logger: Logger): Logger => logger.child({}, { redact: [] });

const addTraceId = (): { traceId?: string } => {
  const traceId = getTraceId();
  return traceId === undefined ? {} : { traceId };
};

/** Writes JSON lines: call `flush()` before exit. @param isTracing whether lines name the current trace */
export function createLogger(
  service: string,
  level: string,
  destination: LogDestination,
  isTracing: boolean,
): Logger {
  return pino(
    {
      level,
      base: { service },
      messageKey: 'message',
      ...(isTracing ? { mixin: addTraceId } : {}),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths, censor: '[redacted]' },
    },
    destination,
  );
}

/** Logs Nest's own messages as JSON lines; its messages about modules and routes at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: unknown): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const error = message instanceof Error ? message : undefined;
    this.logger.error(
      { err: error, context: rest.at(-1), stack: error ? undefined : rest[0] },
      String(message),
    );
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal({ context: rest.at(-1) }, String(message));
  }
}
