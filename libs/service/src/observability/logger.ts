import { getTraceId } from '@app/common';
import { SECRET_HEADERS } from '@app/openapi';
import { pino, type Logger } from 'pino';
import type { LogDestination } from './log-destination.js';

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
