import { freePort } from '../../scripts/processes/ports.mjs';
import { tcpForwarder } from '../identity/tcp-forwarder.js';
import type { FreshDatabase } from './fresh-database.js';
import { LocalRedis } from './local-redis.js';

/** The home of a test's queues, and the ways in which it can fail. */
export interface QueueBackend {
  /** What tells an app where it is. */
  env: Record<string, string>;
  /** Takes the backend away: killed, or no longer to be reached. */
  takeAway: () => Promise<void>;
  bringBack: () => Promise<void>;
  /** Connected and silent. */
  freeze: () => void;
  unfreeze: () => Promise<void>;
  stop: () => Promise<void>;
}

export const BACKENDS = ['redis', 'postgres'] as const;
export type BackendName = (typeof BACKENDS)[number];

export interface QueueBackendOptions {
  /** The database of queues on PostgreSQL. */
  database: FreshDatabase;
  isThere?: boolean;
}

export function queueBackend(
  name: BackendName,
  { database, isThere = true }: QueueBackendOptions,
): Promise<QueueBackend> {
  return name === 'redis' ? onRedis(isThere) : onPostgres(database, isThere);
}

async function onRedis(isThere: boolean): Promise<QueueBackend> {
  const redis = await LocalRedis.prepare({ args: ['--appendonly', 'yes', '--appendfsync', 'everysec'] });
  if (isThere) await redis.start();
  return {
    env: { REDIS_URL: redis.url },
    takeAway: () => redis.kill(),
    bringBack: () => redis.start(),
    freeze: () => {
      redis.pause();
    },
    unfreeze: () => {
      redis.resume();
      return Promise.resolve();
    },
    stop: () => redis.stop(),
  };
}

async function onPostgres(database: FreshDatabase, isThere: boolean): Promise<QueueBackend> {
  const url = new URL(database.url);
  const port = await freePort();
  const forwarder = tcpForwarder(port, { host: url.hostname, port: Number(url.port || 5432) });
  url.host = `127.0.0.1:${port}`;
  if (isThere) await forwarder.open();
  let isOpen = isThere;
  const close = async (): Promise<void> => {
    if (isOpen) await forwarder.close();
    isOpen = false;
  };
  const open = async (): Promise<void> => {
    await forwarder.open();
    isOpen = true;
  };
  return {
    env: { QUEUE_DATABASE_URL: url.href },
    takeAway: close,
    bringBack: open,
    freeze: () => {
      forwarder.freeze();
    },
    unfreeze: async () => {
      await close();
      await open();
    },
    stop: close,
  };
}
