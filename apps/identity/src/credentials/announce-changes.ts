import { CREDENTIALS_CHANGED, publishNews } from '@app/shared-state';
import type { Logger } from '@app/service';
import type { Announce } from './credential-writes.js';

/** Over Redis when there is one. */
export function announceChanges(redisUrl: string | undefined, logger: Logger): Announce {
  if (redisUrl === undefined) return () => Promise.resolve();
  return async () => {
    try {
      await publishNews(redisUrl, CREDENTIALS_CHANGED);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn({ reason }, 'gateways could not be told of changed credentials');
    }
  };
}
