import { Injectable } from '@nestjs/common';
import { Database } from '@app/database';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/audit-records.queries.js';
import { ClientApplication } from '../entities/client-application.entity.js';

const MAX_LISTED_APPLICATIONS = 100;

/** Client applications that wait for an operator's approval. */
@Injectable()
export class PendingApplicationsService {
  constructor(private readonly database: Database) {}

  /** The longest waiting first. Audited. */
  listPending(actor: Actor): Promise<ClientApplication[]> {
    return this.database.transaction(async (manager) => {
      const pending = await manager.find(ClientApplication, {
        where: { status: 'pending' },
        relations: { owner: true },
        order: { updatedAt: 'ASC', id: 'ASC' },
        take: MAX_LISTED_APPLICATIONS,
      });
      const details = { listed: pending.length };
      await recordAudit(manager, actor, { action: 'queue.listed', target: 'client-applications', details });
      return pending;
    });
  }
}
