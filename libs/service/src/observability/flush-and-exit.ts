import type { Logger } from './logger.js';

const FLUSH_TIMEOUT_MS = 1_000;

/** Ends the process with its last lines written, or without them when nobody reads any more. */
export function flushAndExit(logger: Logger, code: number): void {
  const exit = (): never => process.exit(code);
  setTimeout(exit, FLUSH_TIMEOUT_MS);
  logger.flush(exit);
}
