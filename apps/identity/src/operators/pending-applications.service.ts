import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, Raw } from 'typeorm';
import { Database } from '@app/database';
import type { Actor } from '../applications/audit/audit-action.js';
import { recordAudit } from '../applications/audit/audit-records.queries.js';
import { ClientApplication } from '../applications/entities/client-application.entity.js';

const MAX_LISTED_APPLICATIONS = 100;

/** Client applications that wait for an operator's approval. */
@Injectable()
export class PendingApplicationsService {
  constructor(private readonly database: Database) {}

  /** The longest waiting first. Audited. */
  listPending(actor: Actor): Promise<ClientApplication[]> {
    return this.list(actor, { status: 'pending' }, 'ASC');
  }

  /**
   * Applications that send users somewhere, need no approval for what they do, and have no approved name: the latest first.
   * Audited.
   */
  listUnreviewed(actor: Actor): Promise<ClientApplication[]> {
    const unreviewed = Raw((column) => `${column} IS DISTINCT FROM revision`);
    const sendsUsers = Raw((column) => `${column} <> '{}'`);
    const where = { status: 'approved', reviewedRevision: unreviewed, redirectUris: sendsUsers } as const;
    return this.list(actor, where, 'DESC');
  }

  private list(
    actor: Actor,
    where: FindOptionsWhere<ClientApplication>,
    updatedAt: 'ASC' | 'DESC',
  ): Promise<ClientApplication[]> {
    return this.database.transaction(async (manager) => {
      const found = await manager.find(ClientApplication, {
        where,
        relations: { owner: true },
        order: { updatedAt, id: 'ASC' },
        take: MAX_LISTED_APPLICATIONS,
      });
      const details = { listed: found.length };
      await recordAudit(manager, actor, { action: 'queue.listed', target: 'client-applications', details });
      return found;
    });
  }
}
