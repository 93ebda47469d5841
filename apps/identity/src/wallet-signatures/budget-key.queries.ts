import { Database } from '@app/database';
import { toAddressBucket } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** Who has a wallet's signature checked. */
export interface CheckRequester {
  /** A client application's id, or the name of our own pages. */
  readonly clientId: string;
  /** The browser's, at our own pages: they are the same for everybody. */
  readonly address?: string;
}

/** Also of client applications that are no more: what was signed for them may still be shown. */
const OWNER = 'SELECT owner_id AS "ownerId" FROM identity.client_applications WHERE id = $1';

const owner = z.tuple([z.object({ ownerId: z.string() })]);

/** On whose account nodes are asked. Somebody with more client applications has no more than with one. */
@Injectable()
export class BudgetKeyQueries {
  constructor(private readonly database: Database) {}

  async loadBudgetKey({ clientId, address }: CheckRequester): Promise<string> {
    if (address !== undefined) return `address ${toAddressBucket(address)}`;
    const [{ ownerId }] = owner.parse(await this.database.query(OWNER, [clientId]));
    return `owner ${ownerId}`;
  }
}
