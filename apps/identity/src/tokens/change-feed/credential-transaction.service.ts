import type { Database } from '@app/database';
import type { EntityManager } from 'typeorm';

/** Tells gateways that there is something new in the feed. Never rejects: they look by themselves every second. */
export type ChangePublisher = () => Promise<void>;

/** Transactions that change credentials. Gateways hear of it as soon as it is true, and not before. */
export class CredentialTransactionService {
  constructor(
    private readonly database: Database,
    private readonly announce: ChangePublisher = () => Promise.resolve(),
  ) {}

  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = await this.database.transaction(work);
    await this.announce();
    return result;
  }
}
