import type { Database } from '@app/database';
import type { EntityManager } from 'typeorm';
import { formatErrorReason } from '@app/common';
import { CREDENTIALS_CHANGED_CHANNEL, publish } from '@app/pubsub';
import type { Logger } from '@app/service';

/** Notifies gateways of a change in the feed. Never rejects: gateways poll the feed as well. */
export type ChangePublisher = () => Promise<void>;

/** Transactions that change credentials. Notifies gateways after the commit. */
export class CredentialTransactionService {
  constructor(
    private readonly database: Database,
    private readonly publishChange: ChangePublisher = () => Promise.resolve(),
  ) {}

  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = await this.database.transaction(work);
    await this.publishChange();
    return result;
  }
}

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
