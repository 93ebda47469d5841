import { notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { eraseEnsName } from '../../users/ens/ens-names.queries.js';
import { deleteProfiles } from '../../users/directory/platform-user-profiles.queries.js';
import { ProfileService } from '../../users/profile/profile.service.js';
import { UserEventsService } from '../../users/user-events.service.js';
import { deletePasskeys, eraseProfile } from '../../users/users.queries.js';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/audit-records.queries.js';

const userNotFound = () => notFound('user_not_found', 'There is no user with this id.');

/** Erases the person behind a user: from the profile here, from communities and from analytics. */
@Injectable()
export class UserErasureService {
  constructor(
    private readonly database: Database,
    private readonly profiles: ProfileService,
    private readonly events: UserEventsService,
  ) {}

  /** Idempotent. @throws AppError 404 */
  async erase(actor: Actor, userId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.profiles.eraseUsernames(manager, userId);
      // Passkeys go first: a login with one that is under way stores its session before they are deleted, or never.
      await deletePasskeys(manager, userId);
      const at = await eraseProfile(manager, userId);
      if (at === undefined) throw userNotFound();
      await eraseEnsName(manager, userId);
      await deleteProfiles(manager, userId);
      await recordAudit(manager, actor, { action: 'user.erased', target: userId });
      await this.events.publish(manager, { type: 'user.erased', at, userId });
    });
  }
}
