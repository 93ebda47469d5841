import { pino } from 'pino';
import { Counter, type Registry } from 'prom-client';

const MAX_BUFFERED_BYTES = 1024 * 1024;

export interface LogDestination {
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
    minLength: 8_192,
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
