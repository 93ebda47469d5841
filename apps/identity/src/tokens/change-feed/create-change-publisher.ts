import { formatErrorReason } from '@app/common';
import { CREDENTIALS_CHANGED_CHANNEL, publish } from '@app/pubsub';
import type { Logger } from '@app/service';
import type { ChangePublisher } from './credential-transaction.service.js';

/** Publishes on Redis. Without Redis it does nothing, and gateways only poll. */
export function createChangePublisher(redisUrl: string | undefined, logger: Logger): ChangePublisher {
  if (redisUrl === undefined) return () => Promise.resolve();
  return async () => {
    try {
      await publish(redisUrl, CREDENTIALS_CHANGED_CHANNEL);
    } catch (error) {
      logger.warn(
        { reason: formatErrorReason(error) },
        'publishing a credential change failed; gateways see it at their next poll',
      );
    }
  };
}
