import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { takeRevocation } from './revocation-quotas.queries.js';

/** Counts requested revocations only; automatic ones, such as after a replayed code, are not limited. */
const MAX_PER_TENANT_AND_HOUR = 20_000;
const MAX_PER_USER_AND_HOUR = 1_000;
const MAX_DISCONNECTIONS_PER_HOUR = 1_000;

/**
 * Limits revocations per hour, because every gateway keeps live ones in memory. A revocation over the quota must be refused
 * with an error.
 */
@Injectable()
export class RevocationQuotaService {
  constructor(private readonly database: Database) {}

  /**
   * A quota of all client applications of a tenant, so that more of them do not get more of the gateways' memory.
   * @returns undefined when granted, otherwise the seconds until the quota renews
   */
  takeForTenant(tenantId: string): Promise<number | undefined> {
    return this.take(`tenant ${tenantId}`, MAX_PER_TENANT_AND_HOUR);
  }

  /**
   * A quota per user and client application, so that one application cannot use up the user's quota at another.
   * @returns undefined when granted, otherwise the seconds until the quota renews
   */
  takeForUser(userId: string, clientId: string): Promise<number | undefined> {
    return this.take(`user ${userId} at ${clientId}`, MAX_PER_USER_AND_HOUR);
  }

  /**
   * A quota of the user's browser session, which no client application can use up.
   * @returns undefined when granted, otherwise the seconds until the quota renews
   */
  takeForDisconnection(userId: string): Promise<number | undefined> {
    return this.take(`disconnect ${userId}`, MAX_DISCONNECTIONS_PER_HOUR);
  }

  private async take(subject: string, limit: number): Promise<number | undefined> {
    const { isGranted, restSeconds } = await takeRevocation(this.database, subject, limit);
    return isGranted ? undefined : Math.max(restSeconds, 1);
  }
}
