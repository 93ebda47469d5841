import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { toUserActor } from '../applications/audit/audit-action.js';
import { recordAudit } from '../applications/audit/audit-records.queries.js';
import { BrowserSessionQueries } from '../browser-sessions/browser-sessions.queries.js';
import { PasskeyChallengesService } from './passkey-challenges.service.js';
import type { AssertionResponse } from './passkey.dto.js';
import { passkeyInvalid } from './passkey.errors.js';
import { PasskeysService } from './passkeys.service.js';
import { blockPasskey, findVerifier, recordUse } from './passkeys.queries.js';
import { verifyAssertion } from './verify-webauthn.js';

/** RFC 8176: a proof of possession by a verified user; `hwk` for a key that stays on its device. */
const toMethods = (isBackedUp: boolean): string[] => ['pop', 'user', ...(isBackedUp ? [] : ['hwk'])];

export interface PasskeyLogin {
  readonly userId: string;
  /** The id of the new browser session. */
  readonly sessionId: string;
}

/** Sign-in with a passkey. */
@Injectable()
export class PasskeyLoginsService {
  constructor(
    private readonly database: Database,
    private readonly challenges: PasskeyChallengesService,
    private readonly passkeys: PasskeysService,
    private readonly sessions: BrowserSessionQueries,
  ) {}

  /** The options of `navigator.credentials.get()`: any passkey of this site. @throws AppError 403 */
  createOptions(sessionId: string): PublicKeyCredentialRequestOptionsJSON {
    const { id: rpId } = this.passkeys.requireSite();
    const challenge = this.challenges.create('login', sessionId).toString('base64url');
    return { rpId, challenge, userVerification: 'required', timeout: 300_000 };
  }

  /**
   * Signs the passkey's user in. The session is stored with the counter, so a passkey that is removed meanwhile signs nobody in.
   * @throws AppError 400 for any passkey that does not sign in, without saying why
   */
  async complete(
    sessionId: string,
    response: AssertionResponse,
    signedInFor: string | null,
  ): Promise<PasskeyLogin> {
    const site = this.passkeys.requireSite();
    const verifier = await findVerifier(this.database, Buffer.from(response.id, 'base64url'));
    const verified =
      verifier &&
      (await verifyAssertion(response, verifier, site, (challenge) =>
        this.challenges.isValid('login', sessionId, challenge),
      ));
    if (!verified) throw passkeyInvalid();
    const { challenge, ...use } = verified;
    const { id, userId } = verifier;
    const login = await this.database.transaction(async (manager) => {
      if (!(await this.challenges.consume(manager, challenge))) return undefined;
      if (await recordUse(manager, { id, ...use })) {
        const session = { userId, account: null, amr: toMethods(use.isBackedUp), signedInFor };
        return { userId, sessionId: await this.sessions.create(session, manager, id) };
      }
      // The block outlives the refusal, so it is committed. The copy may have signed in before the original did.
      if (await blockPasskey(manager, id, this.challenges.timeOf(challenge))) {
        await this.sessions.destroyOfPasskey(manager, id);
        await recordAudit(manager, toUserActor(userId), { action: 'passkey.blocked', target: id });
      }
      return undefined;
    });
    if (!login) throw passkeyInvalid();
    return login;
  }
}
