import { REDIS_FAIL_FAST_OPTIONS, parseRedisUrl, type ParsedRedisUrl } from '@app/config';
import { Redis } from 'ioredis';

/** Notifies gateways that identity's feed of credential changes has new entries. */
export const CREDENTIALS_CHANGED_CHANNEL = 'gatehouse:credentials-changed';

const PUBLISH_TIMEOUT_MS = 500;
const SUBSCRIBE_TIMEOUT_MS = 5_000;
const RECONNECT_DELAY_MS = 250;

/** Connects to one node, also of a cluster: each node broadcasts PUBLISH to all others. */
function createNodeConnection({ nodes, access }: ParsedRedisUrl, index: number, timeoutMs: number): Redis {
  const { connectTimeout } = REDIS_FAIL_FAST_OPTIONS;
  const redis = new Redis({
    ...REDIS_FAIL_FAST_OPTIONS,
    lazyConnect: true,
    connectTimeout: Math.min(connectTimeout, timeoutMs),
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
    ...(nodes[index % nodes.length] ?? nodes[0]),
    ...access,
  });
  redis.on('error', () => undefined); // the pending connect or command rejects
  return redis;
}

/**
 * Publishes an empty message: subscribers read the change itself elsewhere, and poll as a fallback. Rejects within a
 * second when Redis is unavailable.
 * @param url a REDIS_URL
 */
export async function publish(url: string, channel: string): Promise<void> {
  const servers = parseRedisUrl(url);
  const connections = servers.nodes.map((_, index) =>
    createNodeConnection(servers, index, PUBLISH_TIMEOUT_MS),
  );
  try {
    const first = await Promise.any(connections.map((redis) => redis.connect().then(() => redis)));
    await first.publish(channel, '');
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    for (const redis of connections) redis.disconnect();
  }
}

/** Subscribes to a channel, and reconnects to the next node until it is closed. */
export class Subscriber {
  private readonly servers: ParsedRedisUrl;
  private redis: Redis | undefined;
  private reconnectTimer: NodeJS.Timeout | undefined;
  private attempts = Math.floor(Math.random() * 1_000); // spreads subscribers over the nodes
  private isClosed = false;

  /**
   * @param url a REDIS_URL
   * @param onMessage also called after each connect, because messages may have been missed
   */
  constructor(
    url: string,
    private readonly channel: string,
    private readonly onMessage: () => void,
  ) {
    this.servers = parseRedisUrl(url);
    this.connect();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.reconnectTimer);
    this.redis?.disconnect();
  }

  private connect(): void {
    const redis = createNodeConnection(this.servers, this.attempts++, SUBSCRIBE_TIMEOUT_MS);
    this.redis = redis;
    redis.on('message', this.onMessage);
    redis.on('end', () => {
      if (!this.isClosed)
        this.reconnectTimer = setTimeout(() => {
          this.connect();
        }, RECONNECT_DELAY_MS);
    });
    // A failure ends the connection, whose 'end' event starts the next attempt.
    this.subscribe(redis).catch(() => {
      redis.disconnect();
    });
  }

  private async subscribe(redis: Redis): Promise<void> {
    await redis.connect();
    await redis.subscribe(this.channel);
    this.onMessage();
  }
}
