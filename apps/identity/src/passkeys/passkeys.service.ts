import { randomBytes } from 'node:crypto';
import { deriveUserId, isWalletLogin, MAX_OPERATOR_LOGIN_AGE_SECONDS, walletLoginRequired } from '@app/auth';
import { SECOND_MS, toBase62 } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { toUserActor } from '../applications/audit/audit-action.js';
import { recordAudit } from '../applications/audit/audit-records.queries.js';
import { BrowserSessionQueries, type SessionUser } from '../browser-sessions/browser-sessions.queries.js';
import { lockPasskeys } from '../users/users.queries.js';
import { shortenAccount } from '../users/wallets/wallet.js';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { PasskeyChallengesService } from './passkey-challenges.service.js';
import { createPasskeyName } from './default-passkey-name.js';
import type { NewPasskey } from './passkey.dto.js';
import {
  freshLoginRequired,
  MAX_PASSKEYS_PER_USER,
  passkeyExists,
  passkeyInvalid,
  passkeyLimitExceeded,
  passkeyNotFound,
  passkeyNotSupported,
  passkeysNotAvailable,
} from './passkey.errors.js';
import {
  deletePasskey,
  insertPasskey,
  listPasskeys,
  type Passkey,
  renamePasskey,
} from './passkeys.queries.js';
import {
  findRelyingParty,
  PASSKEY_ALGORITHMS,
  type RelyingParty,
  verifyRegistration,
} from './verify-webauthn.js';

const USER_HANDLE_BYTES = 32;

/** How long an authenticator may ask its user; the challenge lives as long. */
const TIMEOUT_MS = 300_000;

/** The session of a user who changes passkeys. */
export interface PasskeyOwner {
  readonly sessionId: string;
  readonly user: SessionUser;
}

/** The passkeys of users. They sign in beside the wallet, and never weaken it (ADR 98). */
@Injectable()
export class PasskeysService {
  private readonly site: RelyingParty | undefined;

  constructor(
    private readonly database: Database,
    private readonly challenges: PasskeyChallengesService,
    private readonly sessions: BrowserSessionQueries,
    { authUrl }: PublicUrlsConfig,
  ) {
    this.site = findRelyingParty(authUrl);
  }

  get isAvailable(): boolean {
    return this.site !== undefined;
  }

  /** @throws AppError 403 where browsers make no passkeys */
  requireSite(): RelyingParty {
    if (!this.site) throw passkeysNotAvailable();
    return this.site;
  }

  list(userId: string): Promise<Passkey[]> {
    return listPasskeys(this.database, userId);
  }

  /** Whether the session may add a passkey without another login. */
  isLoginFresh({ signedInAt, amr }: SessionUser): boolean {
    return (
      isWalletLogin(amr) && Date.now() - signedInAt.getTime() <= MAX_OPERATOR_LOGIN_AGE_SECONDS * SECOND_MS
    );
  }

  /** The options of `navigator.credentials.create()`. @throws AppError 403, 409 */
  async createOptions({ sessionId, user }: PasskeyOwner): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const site = this.requireSite();
    this.checkOwner(user);
    const existing = await this.list(user.userId);
    if (existing.length >= MAX_PASSKEYS_PER_USER) throw passkeyLimitExceeded();
    const handle = Buffer.from(existing[0]?.userHandle ?? randomBytes(USER_HANDLE_BYTES));
    // The address tells the wallets of a user apart in the list that a device shows.
    const name = user.account === null ? user.userId : shortenAccount(user.account);
    const displayName = user.name ?? user.username ?? name;
    return {
      rp: { id: site.id, name: 'Gatehouse' },
      user: { id: handle.toString('base64url'), name, displayName },
      challenge: this.challenges
        .create('registration', `${sessionId} ${handle.toString('base64url')}`)
        .toString('base64url'),
      pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
      timeout: TIMEOUT_MS,
      attestation: 'none',
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      excludeCredentials: existing.map(({ credentialId, transports }) => ({
        id: Buffer.from(credentialId).toString('base64url'),
        type: 'public-key',
        transports,
      })),
    };
  }

  /** @throws AppError 400, 403, 409 */
  async add(
    { sessionId, user }: PasskeyOwner,
    { userHandle, response, platform }: NewPasskey,
  ): Promise<Passkey> {
    const site = this.requireSite();
    this.checkOwner(user);
    const verified = await verifyRegistration(response, site, (challenge) =>
      this.challenges.isValid('registration', `${sessionId} ${userHandle}`, challenge),
    );
    if (!verified) throw passkeyInvalid();
    const { challenge, aaguid, ...fields } = verified;
    const { userId } = user;
    return this.database.transaction(async (manager) => {
      await lockPasskeys(manager, userId);
      // Another session may have removed all passkeys and ended this one since the request began.
      if (!(await this.sessions.lock(manager, sessionId))) throw freshLoginRequired();
      if (!(await this.challenges.consume(manager, challenge))) throw passkeyInvalid();
      const existing = await listPasskeys(manager, userId);
      if (existing.length >= MAX_PASSKEYS_PER_USER) throw passkeyLimitExceeded();
      const id = `passkey_${toBase62(randomBytes(12), 17)}`;
      const handle = existing[0]?.userHandle ?? Buffer.from(userHandle, 'base64url');
      // Another tab may have added the first passkey meanwhile, whose handle is another.
      if (!Buffer.from(handle).equals(Buffer.from(userHandle, 'base64url'))) throw passkeyInvalid();
      const { transports } = response.response;
      const name = createPasskeyName(
        { aaguid, transports, platform },
        existing.map((passkey) => passkey.name),
      );
      const row = { ...fields, id, userId, userHandle: handle, transports, name };
      const added = await insertPasskey(manager, row);
      if (!added) throw passkeyExists();
      await recordAudit(manager, toUserActor(userId), { action: 'passkey.added', target: id });
      return added;
    });
  }

  /** @throws AppError 404 */
  async rename(userId: string, id: string, name: string): Promise<Passkey> {
    const renamed = await renamePasskey(this.database, userId, { id, name });
    if (!renamed) throw passkeyNotFound();
    return renamed;
  }

  /** Ends the sessions that the passkey signed in, too. @throws AppError 404 */
  async remove(userId: string, id: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!(await deletePasskey(manager, userId, id))) throw passkeyNotFound();
      await this.sessions.destroyOfPasskey(manager, id);
      await recordAudit(manager, toUserActor(userId), { action: 'passkey.removed', target: id });
    });
  }

  /** @throws AppError 403 for a session in which no passkey may be added */
  private checkOwner(user: SessionUser): void {
    if (!isWalletLogin(user.amr)) throw walletLoginRequired();
    if (!this.isLoginFresh(user)) throw freshLoginRequired();
    if (!isKeyAccount(user)) throw passkeyNotSupported();
  }
}

/** Whether the user's id follows from a key and not from a contract account, whose owners may change. */
function isKeyAccount({ userId, account }: SessionUser): boolean {
  const [namespace, , address = ''] = account?.split(':') ?? [];
  if (namespace === 'solana') return true;
  return namespace === 'eip155' && deriveUserId('ethereum', address.toLowerCase()) === userId;
}
