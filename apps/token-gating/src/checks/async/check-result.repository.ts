import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { type CheckReader, findCheckResult, type StoredCheckResult } from './checks.queries.js';

/** Results of checks, for the client applications that requested them, and role callbacks, which are polled like results. */
@Injectable()
export class CheckResultRepository {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
  ) {}

  /**
   * Undefined for an unknown or expired check, for one of another client application, and for a user of another user. Role
   * callbacks are about any member: users find none.
   */
  async find(requestId: string, reader: CheckReader): Promise<StoredCheckResult | undefined> {
    // PostgreSQL rejects text that is not a UUID.
    if (!z.uuid().safeParse(requestId).success) return undefined;
    const found = await findCheckResult(this.database, requestId, reader);
    if (found || reader.userId !== undefined) return found;
    return this.deliveries.findRoleCallback(requestId, reader.clientId);
  }
}
