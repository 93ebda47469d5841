import type { Database } from '@app/database';
import type { EntityManager } from 'typeorm';

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
