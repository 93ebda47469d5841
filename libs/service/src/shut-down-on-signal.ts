import { setTimeout as sleep } from 'node:timers/promises';
import { flushAndExit } from './observability/flush-and-exit.js';
import type { Logger } from './observability/logger.js';

export interface ShutdownOptions {
  /** Says to the outside that no new work is wanted. */
  drain: () => void;
  /** How long the outside gets to hear it. */
  delayMs: number;
  /** Ends what is under way and closes everything. */
  close: () => Promise<void>;
  graceMs: number;
  logger: Logger;
}

/**
 * Ends the process in order on SIGTERM, SIGINT, or when the parent that spawned it with an IPC channel is gone. A
 * second signal skips the waiting. Exit code 0 when everything was closed in time, else 1.
 */
export function shutDownOnSignal({ drain, delayMs, close, graceMs, logger }: ShutdownOptions): void {
  const hurry = new AbortController();
  let ending = false;

  const end = (reason: string): void => {
    if (ending) {
      hurry.abort();
      return;
    }
    ending = true;
    logger.info({ reason }, 'shutting down');
    setTimeout(() => {
      leave(1, 'some work did not end in time');
    }, graceMs).unref();
    drain();
    void sleep(delayMs, undefined, { signal: hurry.signal })
      .catch(() => undefined)
      .then(close)
      .then(
        () => {
          leave(0, 'shut down');
        },
        (error: unknown) => {
          logger.error({ err: error }, 'shutdown failed');
          leave(1, 'shutdown failed');
        },
      );
  };

  const leave = (code: number, message: string): void => {
    logger.info({ code }, message);
    flushAndExit(logger, code);
  };

  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  if (process.connected) {
    process.once('disconnect', () => {
      end('parent gone');
    });
  }
}
