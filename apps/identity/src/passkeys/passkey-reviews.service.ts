import { isWalletLogin } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { toUserActor } from '../applications/audit/audit-action.js';
import { recordAudit } from '../applications/audit/audit-records.queries.js';
import { BrowserSessionQueries, type SessionUser } from '../browser-sessions/browser-sessions.queries.js';
import { deletePasskeys } from '../users/users.queries.js';
import type { PasskeyOwner } from './passkeys.service.js';
import { keepPasskeys, listPasskeysToReview, type Passkey } from './passkeys.queries.js';

type Login = Pick<SessionUser, 'userId' | 'amr' | 'signedInAt'>;

/**
 * The user's judgement of passkeys that were added, or blocked, since the last login with the wallet. Whoever sits at an unlocked
 * browser can add a passkey, and only a later login with the wallet can keep it.
 */
@Injectable()
export class PasskeyReviewsService {
  constructor(
    private readonly database: Database,
    private readonly sessions: BrowserSessionQueries,
  ) {}

  /** The passkeys that a login has to judge; none for a login without the wallet. */
  async list({ userId, amr, signedInAt }: Login): Promise<Passkey[]> {
    return isWalletLogin(amr) ? listPasskeysToReview(this.database, userId, signedInAt) : [];
  }

  /** Keeps the shown passkeys, and lets the blocked ones among them sign in again. Others of the user are left as they are. */
  async keep({ userId, amr, signedInAt }: Login, ids: readonly string[]): Promise<void> {
    if (!isWalletLogin(amr)) return;
    await this.database.transaction(async (manager) => {
      const kept = await keepPasskeys(manager, userId, { ids, loginAt: signedInAt });
      for (const target of kept)
        await recordAudit(manager, toUserActor(userId), { action: 'passkey.kept', target });
    });
  }

  /** Removes every passkey of the user, and ends all of the user's browser sessions but this one. */
  async removeAll({ sessionId, user: { userId } }: PasskeyOwner): Promise<void> {
    await this.database.transaction(async (manager) => {
      const removed = await deletePasskeys(manager, userId);
      await this.sessions.destroyOthers(manager, userId, sessionId);
      for (const target of removed)
        await recordAudit(manager, toUserActor(userId), { action: 'passkey.removed', target });
    });
  }
}
