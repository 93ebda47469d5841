import { Database } from '@app/database';
import { type CredentialChanges, credentialChanges, credentialChangesQuery } from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Get, Injectable, Query } from '@nestjs/common';
import { loadChanges } from './credential-changes.queries.js';

/** Changed client applications and revoked tokens, for gateways to invalidate their caches. */
@Injectable()
export class CredentialChangesService {
  constructor(private readonly database: Database) {}

  async listAfter(sequence: number): Promise<CredentialChanges> {
    const { first, newest, last, clientIds, revoked } = await loadChanges(this.database, sequence);
    const isDeleted = first > sequence + 1;
    // A number above the newest one comes from a database that was since restored from a backup.
    const truncated = isDeleted || sequence > newest;
    return { last, hasMore: last < newest, truncated, clientIds, revoked };
  }
}

/** The change feed that gateways poll to invalidate their credential caches. */
@InternalController('internal/credentials/changes', 'gateway')
export class CredentialChangesController {
  constructor(private readonly feed: CredentialChangesService) {}

  @Get()
  @Returns(credentialChanges)
  list(@Query({ schema: credentialChangesQuery }) { after }: { after: number }): Promise<CredentialChanges> {
    return this.feed.listAfter(after);
  }
}
