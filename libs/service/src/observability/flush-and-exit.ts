import type { Logger } from './logger.js';

const FLUSH_TIMEOUT_MS = 1_000;

/** Exits after writing the buffered log lines, or after a timeout when standard output is blocked. */
export function flushAndExit(logger: Logger, code: number): void {
  const exit = (): never => process.exit(code);
  setTimeout(exit, FLUSH_TIMEOUT_MS);
  logger.flush(exit);
}
