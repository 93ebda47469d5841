import { notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { ClientApplication } from '../clients/client-application.entity.js';
import { PlanHolder } from '../clients/plan-holder.entity.js';

const MOST_LISTED = 100;

export interface FoundPlan {
  holder: PlanHolder;
  /** Oldest first. */
  applications: ClientApplication[];
}

const noSuchOwner = () =>
  notFound('no_such_owner', 'No plan holder, client application or user has this id.');

/** Whose plan is it? Asked by operators, and recorded. */
@Injectable()
export class PlanLookup {
  constructor(private readonly database: Database) {}

  /**
   * @param id of the plan holder, of one of its client applications, or of the user whose own plan it is
   * @throws AppError 404
   */
  find(actor: Actor, id: string): Promise<FoundPlan> {
    return this.database.transaction(async (manager) => {
      const holder = await holderOf(manager, id);
      if (!holder) throw noSuchOwner();
      const applications = await manager.find(ClientApplication, {
        where: { ownerId: holder.id },
        order: { createdAt: 'ASC', id: 'ASC' },
        take: MOST_LISTED,
      });
      await recordAudit(manager, actor, { action: 'plan.viewed', target: holder.id });
      return { holder, applications };
    });
  }
}

async function holderOf(manager: EntityManager, id: string): Promise<PlanHolder | null> {
  const own = await manager.findOne(PlanHolder, { where: [{ id }, { userId: id }] });
  if (own) return own;
  const application = await manager.findOne(ClientApplication, { where: { id }, relations: { owner: true } });
  return application?.owner ?? null;
}
