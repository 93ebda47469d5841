import { REDIS_FAIL_FAST_OPTIONS, parseRedisUrl, type ParsedRedisUrl } from '@app/config';
import { Redis } from 'ioredis';

/** Credentials have changed: whoever follows identity's feed should look at it now. */
export const CREDENTIALS_CHANGED_CHANNEL = 'gatehouse:credentials-changed';

const PUBLISH_TIMEOUT_MS = 500;
const SUBSCRIBE_TIMEOUT_MS = 5_000;
const RECONNECT_DELAY_MS = 250;

/** Whoever is told of news in a cluster tells all other nodes, so that one node does for each of us. */
function createNodeConnection({ nodes, access }: ParsedRedisUrl, at: number, timeoutMs: number): Redis {
  const { connectTimeout } = REDIS_FAIL_FAST_OPTIONS;
  const redis = new Redis({
    ...REDIS_FAIL_FAST_OPTIONS,
    lazyConnect: true,
    connectTimeout: Math.min(connectTimeout, timeoutMs),
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
    ...(nodes[at % nodes.length] ?? nodes[0]),
    ...access,
  });
  redis.on('error', () => undefined); // whoever waits for it hears of it
  return redis;
}

/**
 * Tells everybody on a channel that there is something new, and nothing else: what it is they look up themselves.
 * Rejects, within a second, when Redis is away; whoever listens has to look by themselves now and then.
 * @param url as REDIS_URL has it
 */
export async function publish(url: string, channel: string): Promise<void> {
  const servers = parseRedisUrl(url);
  const all = servers.nodes.map((_, at) => createNodeConnection(servers, at, PUBLISH_TIMEOUT_MS));
  try {
    const first = await Promise.any(all.map((redis) => redis.connect().then(() => redis)));
    await first.publish(channel, '');
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    for (const redis of all) redis.disconnect();
  }
}

/** Listens to a channel, as long as it takes to reach Redis. */
export class Subscriber {
  private readonly servers: ParsedRedisUrl;
  private redis: Redis | undefined;
  private again: NodeJS.Timeout | undefined;
  private tries = Math.floor(Math.random() * 1_000); // not all at the first node
  private isClosed = false;

  /**
   * @param url as REDIS_URL has it
   * @param onNews also called after every connection that is made: news may have been missed
   */
  constructor(
    url: string,
    private readonly channel: string,
    private readonly onNews: () => void,
  ) {
    this.servers = parseRedisUrl(url);
    this.listen();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.again);
    this.redis?.disconnect();
  }

  private listen(): void {
    const redis = createNodeConnection(this.servers, this.tries++, SUBSCRIBE_TIMEOUT_MS);
    this.redis = redis;
    redis.on('message', this.onNews);
    redis.on('end', () => {
      if (!this.isClosed)
        this.again = setTimeout(() => {
          this.listen();
        }, RECONNECT_DELAY_MS);
    });
    // What fails here ends the connection, and the next one begins.
    this.subscribe(redis).catch(() => {
      redis.disconnect();
    });
  }

  private async subscribe(redis: Redis): Promise<void> {
    await redis.connect();
    await redis.subscribe(this.channel);
    this.onNews();
  }
}
