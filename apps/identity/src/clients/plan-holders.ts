import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { CredentialWrites } from '../credentials/credential-writes.js';
import { recordChanges } from '../credentials/record-changes.js';
import { ClientApplication } from './client-application.entity.js';
import { PlanHolder } from './plan-holder.entity.js';
import { lockPlanHolder } from './plan-room.js';
import type { PlanTerms } from './plan-terms.js';

export class PlanHolders {
  constructor(private readonly writes: CredentialWrites) {}

  /** What is there already stays, even when the new plan would not have allowed as much. */
  async setPlan(actor: Actor, ownerId: string, terms: PlanTerms): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await lockPlanHolder(manager, ownerId);
      await manager.update(PlanHolder, { id: ownerId }, terms);
      const clients = await manager.find(ClientApplication, { where: { ownerId }, select: { id: true } });
      await recordAudit(manager, actor, { action: 'plan.set', target: ownerId, details: terms });
      await recordChanges(
        manager,
        clients.map(({ id }) => id),
      );
    });
  }
}
