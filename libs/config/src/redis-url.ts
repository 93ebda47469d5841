import { z } from 'zod';

export interface RedisNode {
  host: string;
  port: number;
}

/** The parsed `REDIS_URL`. */
export interface ParsedRedisUrl {
  /** The server, or the seed nodes of a cluster. */
  nodes: [RedisNode, ...RedisNode[]];
  isCluster: boolean;
  /** Options of every connection, as ioredis names them. */
  access: { username?: string; password?: string; db?: number; tls?: Record<string, never> };
}

const DEFAULT_PORT = 6379;
const DATABASE_PATH = /^\/(\d{1,5})$/;

/**
 * Parses `redis://user:password@host:port/db` or, with TLS, `rediss://…`. Several URLs, comma separated, are nodes of one
 * cluster.
 * @throws Error with the reason, without any part of the text, which may contain a password
 */
export function parseRedisUrl(text: string): ParsedRedisUrl {
  const [first, ...others] = text.split(',').map(toUrl);
  if (!first) throw new Error('must not be empty');
  const access = toAccess(first);
  if (others.length > 0) {
    if (others.some(({ protocol }) => protocol !== first.protocol))
      throw new Error('must use one scheme for all nodes: redis:// or rediss://');
    if (others.some((url) => url.username !== first.username || url.password !== first.password))
      throw new Error('must name the same user and password for all nodes');
    if ([first, ...others].some(hasPath))
      throw new Error('must not name a database: a cluster of several nodes has only one');
  }
  return { nodes: [toNode(first), ...others.map(toNode)], isCluster: others.length > 0, access };
}

/** A URL or list of URLs that `parseRedisUrl` accepts. */
export const envRedisUrl = z
  .string()
  .superRefine((text, context) => {
    try {
      parseRedisUrl(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  })
  .meta({
    format: '`redis://…` or `rediss://…`, or several nodes of a cluster, comma separated',
    secret: true,
  });

function toUrl(entry: string): URL {
  const text = entry.trim();
  if (text === '') throw new Error('must not contain an empty entry between commas');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '')
    throw new Error(
      'must be redis://… or rediss://…, or several of them, comma separated (a comma itself is %2C)',
    );
  if (url.port === '0') throw new Error('must not name port 0');
  if (/[?#]/.test(text)) throw new Error('must have nothing behind ? or #');
  if (hasPath(url) && !DATABASE_PATH.test(url.pathname))
    throw new Error('must have no path but the number of a database, such as /0');
  return url;
}

const hasPath = ({ pathname }: URL): boolean => !['', '/'].includes(pathname);

function toNode({ hostname, port }: URL): RedisNode {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? DEFAULT_PORT : Number(port) };
}

function toAccess(url: URL): ParsedRedisUrl['access'] {
  const database = DATABASE_PATH.exec(url.pathname)?.[1];
  return {
    ...(url.username === '' ? {} : { username: decode(url.username) }),
    ...(url.password === '' ? {} : { password: decode(url.password) }),
    ...(database === undefined ? {} : { db: Number(database) }),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have a user and password that are percent-encoded');
  }
}

/** Configuration of an app with queues, or that shares rate limits or notifications between replicas. */
export const redisConfigSchema = z.object({
  REDIS_URL: envRedisUrl
    .optional()
    .describe('The Redis or Valkey for queues, rate limits and notifications of changed credentials.'),
});

/** Timeout of commands that a client sends to single nodes of a Redis Cluster. */
export const REDIS_NODE_TIMEOUT_MS = 1_000;

/** Options of ioredis' Cluster for node discovery. */
export const REDIS_CLUSTER_OPTIONS = {
  /** Upper bound for detecting added and removed nodes; a failed command detects them earlier. */
  slotsRefreshInterval: 5_000,
  slotsRefreshTimeout: REDIS_NODE_TIMEOUT_MS,
  // Keeps the host name for each connection: certificates contain it, and its IP address may change.
  dnsLookup: (host: string, done: (error: null, address: string) => void): void => {
    done(null, host);
  },
};

const MAX_RETRY_DELAY_MS = 500;

/** ioredis options for commands that fail at once while Redis is unavailable, instead of being queued. */
export const REDIS_FAIL_FAST_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 1_000,
  keepAlive: 10_000,
  retryStrategy: (times: number): number => Math.min(50 * times, MAX_RETRY_DELAY_MS),
};
