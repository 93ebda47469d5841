import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Wherever one of these names turns up in a log line, its value does not. */
const SECRETS = [
  'authorization',
  'apiKey',
  'clientSecret',
  'cookie',
  'password',
  'secret',
  'token',
  'signature',
];
const redactedPaths = SECRETS.flatMap((name) => [name, `*.${name}`]);

/**
 * The logger of the one line per request. It knows its few fields, none of them secret, and is spared the search for
 * secrets that every other line goes through.
 */
export const createRequestLogger = (logger: Logger): Logger => logger.child({}, { redact: [] });

/** JSON lines on standard output. Lines are buffered for at most a quarter of a second; `flush()` before exit. */
export function createLogger(service: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths, censor: '[redacted]' },
    },
    pino.destination({ sync: false, minLength: 8_192, periodicFlush: 250 }),
  );
}
