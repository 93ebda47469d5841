import { Database } from '@app/database';
import { toAddressBucket } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** The origin of a request to verify a wallet signature. */
export interface CheckRequester {
  /** A client application's id, or the name of the login pages. */
  readonly clientId: string;
  /** The browser's IP address on the login pages, which all tenants share. */
  readonly address?: string;
  /** Whether a user of the client application presents the signature, without the application's API key. */
  readonly isUser?: boolean;
}

/**
 * Includes deleted client applications: signatures made for them may still be presented. Apart from
 * client-applications.queries.ts, because this feature comes before applications.
 */
const SELECT_TENANT = 'SELECT owner_id AS "tenantId" FROM identity.client_applications WHERE id = $1';

const rows = z.tuple([z.object({ tenantId: z.string() })]);

/** Maps requesters to budgets. All client applications of a tenant share one budget. */
@Injectable()
export class BudgetKeyQueries {
  constructor(private readonly database: Database) {}

  async loadBudgetKey({ clientId, address }: CheckRequester): Promise<string> {
    if (address !== undefined) return `address ${toAddressBucket(address)}`;
    const [{ tenantId }] = rows.parse(await this.database.query(SELECT_TENANT, [clientId]));
    return `tenant ${tenantId}`;
  }
}
