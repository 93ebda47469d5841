import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { DeliveryRepository } from '../../callbacks/delivery.repository.js';
import { type CheckResult, checkResult } from '../../rules/check-result.js';

const FIND = `
  SELECT result, callback_url AS "callbackUrl" FROM token_gating.checks
  WHERE id = $1 AND client_id = $2 AND expires_at > now()`;

const row = z.object({ result: checkResult.nullable(), callbackUrl: z.string().nullable() });

export interface StoredCheckResult {
  /** Null while the check is not finished. */
  result: CheckResult | null;
  callbackUrl: string | null;
}

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
    const rows = await this.database.query(FIND, [requestId, clientId]);
    return z.array(row).parse(rows)[0] ?? (await this.deliveries.findRoleCallback(requestId, clientId));
  }
}
