import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { findCheckResult, type StoredCheckResult } from './checks.queries.js';

/** Results of checks, for the client applications that requested them, and role callbacks, which are polled like results. */
@Injectable()
export class CheckResultRepository {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
  ) {}

  /** Undefined for an unknown or expired check and for a check of another client application. */
  async find(requestId: string, clientId: string): Promise<StoredCheckResult | undefined> {
    // PostgreSQL rejects text that is not a UUID.
    if (!z.uuid().safeParse(requestId).success) return undefined;
    const found = await findCheckResult(this.database, requestId, clientId);
    return found ?? (await this.deliveries.findRoleCallback(requestId, clientId));
  }
}
