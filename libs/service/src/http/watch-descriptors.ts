import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Server } from 'node:http';
import { formatErrorReason, SECOND_MS } from '@app/common';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

/** The part of the descriptors that connections of clients may take. The rest is for connections to databases, apps and nodes, and for probes. */
const CLIENT_SHARE = 3 / 4;
const LOG_INTERVAL_MS = 10 * SECOND_MS;
const WATCH_INTERVAL_MS = 5 * SECOND_MS;

/** The limit of open files (`ulimit -n`), which Node raises to the hard limit when it starts. Undefined where there is no /proc. */
function readMaxDescriptors(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Refuses connections before the process is out of descriptors, and says so. Without it libuv accepts and closes each connection with a spare
 * descriptor, and tells nobody; probes and metrics would be closed, too.
 * @returns a function that ends the watch
 */
export function watchDescriptors(server: Server, registry: Registry, logger: Logger): () => void {
  const dropped = new Counter({
    name: 'http_connections_dropped_total',
    help: 'Connections that were closed at once, because the process has too few file descriptors for more.',
    registers: [registry],
  });
  const maxDescriptors = readMaxDescriptors();
  if (maxDescriptors !== undefined) server.maxConnections = Math.floor(maxDescriptors * CLIENT_SHARE);
  let loggedAtMs = -Infinity;
  server.on('drop', () => {
    dropped.inc();
    if (performance.now() - loggedAtMs < LOG_INTERVAL_MS) return;
    loggedAtMs = performance.now();
    const { maxConnections } = server;
    logger.error({ maxConnections, maxDescriptors }, 'too many connections for the limit of open files');
  });
  const timer = setInterval(() => void checkDescriptors(logger), WATCH_INTERVAL_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

/** Checks descriptors: others than clients may have taken the last one. */
async function checkDescriptors(logger: Logger): Promise<void> {
  try {
    await (await open('/dev/null')).close();
  } catch (error) {
    logger.error(
      { reason: formatErrorReason(error) },
      'no file can be opened; connections are closed at once',
    );
  }
}
