import { setTimeout as sleep } from 'node:timers/promises';
import { flushAndExit } from './observability/flush-and-exit.js';
import type { Logger } from './observability/logger.js';

interface ShutdownOptions {
  /** Makes the app not ready. */
  drain: () => void;
  /** The time for load balancers to notice it. */
  delayMs: number;
  /** Finishes running work and closes everything. */
  close: () => Promise<void>;
  /** The process exits with code 1 after this time. */
  graceMs: number;
  logger: Logger;
}

/**
 * Shuts down on SIGTERM, on SIGINT, or when the parent process that spawned it with an IPC channel exits. A second signal
 * skips the delay. Exits with code 0 when everything was closed in time, else 1. Code that shuts the process down because something failed
 * sets `process.exitCode` before it sends the signal.
 */
export function shutDownOnSignal({ drain, delayMs, close, graceMs, logger }: ShutdownOptions): void {
  const skipDelay = new AbortController();
  let isShuttingDown = false;

  const shutDown = (reason: string): void => {
    if (isShuttingDown) {
      skipDelay.abort();
      return;
    }
    isShuttingDown = true;
    logger.info({ reason }, 'shutting down');
    setTimeout(() => {
      exit(1, 'shutdown timed out');
    }, graceMs).unref();
    drain();
    void sleep(delayMs, undefined, { signal: skipDelay.signal })
      .catch(() => undefined)
      .then(close)
      .then(
        () => {
          exit(Number(process.exitCode ?? 0), 'shut down');
        },
        (error: unknown) => {
          logger.error({ err: error }, 'shutdown failed');
          exit(1, 'shutdown failed');
        },
      );
  };

  const exit = (code: number, message: string): void => {
    logger.info({ code }, message);
    flushAndExit(logger, code);
  };

  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  if (process.connected) {
    process.once('disconnect', () => {
      shutDown('parent process exited');
    });
  }
}
