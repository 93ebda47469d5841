import { Redis } from 'ioredis';
import { failFastRedis } from './fail-fast-redis.js';

/** Credentials have changed: whoever follows identity's feed should look at it now. */
export const CREDENTIALS_CHANGED = 'gatehouse:credentials-changed';

const PUBLISH_TIMEOUT_MS = 500;

/**
 * Tells everybody on a channel that there is something new, and nothing else: what it is they look up themselves.
 * Rejects, within a second, when Redis is away; whoever listens has to look by themselves now and then.
 */
export async function publishNews(url: string, channel: string): Promise<void> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PUBLISH_TIMEOUT_MS,
    commandTimeout: PUBLISH_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined); // the promises below reject with it
  try {
    await redis.connect();
    await redis.publish(channel, '');
  } finally {
    redis.disconnect();
  }
}

/** Listens to a channel, as long as it takes to reach Redis. */
export class NewsListener {
  private readonly redis: Redis;

  /** @param onNews also called after every connection that is made: news may have been missed */
  constructor(url: string, channel: string, onNews: () => void) {
    this.redis = failFastRedis(url, 5_000);
    this.redis.on('message', onNews);
    this.redis.on('ready', () => {
      this.subscribe(channel, onNews).catch(() => undefined); // it is connected anew, and so is this
    });
  }

  close(): void {
    this.redis.disconnect();
  }

  private async subscribe(channel: string, onNews: () => void): Promise<void> {
    await this.redis.subscribe(channel);
    onNews();
  }
}
