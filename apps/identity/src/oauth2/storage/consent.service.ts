import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { CREDENTIAL_SCOPE, GrantService } from './grant.service.js';
import {
  type ConsentDecision,
  type ConsentKey,
  insertGrant,
  listGrantIds,
  listSurplusGrantIds,
  lockConsents,
} from './oauth-models.queries.js';
import { type LatestConsent, findLatestConsent } from './find-latest-consent.js';

/**
 * Consents of users to client applications, across all sessions. For each scope the latest decision counts, until it
 * expires.
 */
@Injectable()
export class ConsentService {
  constructor(
    private readonly transactions: CredentialTransactionService,
    private readonly grants: GrantService,
  ) {}

  /** The latest decisions on all of these scopes; undefined if the user must be asked. */
  async findLatest(key: ConsentKey, scopes: ReadonlySet<string>): Promise<LatestConsent | undefined> {
    return findLatestConsent(await this.grants.list(key.userId, key.clientId), scopes);
  }

  /**
   * Stores a new decision and revokes the grants, of every session, that include a scope refused in it.
   * @returns the grant's id
   */
  record(key: ConsentKey, decision: ConsentDecision): Promise<string> {
    return this.withConsentLock(key, async (manager) => {
      const existing = await this.grants.list(key.userId, key.clientId, manager);
      const wider = existing.filter(({ scopes }) => scopes.some((scope) => decision.refused.includes(scope)));
      const grantId = await insertGrant(manager, key, decision);
      const surplus = await listSurplusGrantIds(manager, key, grantId);
      // A refusal counts without a wider grant, too: its grant may have been surplus.
      const isRefused = decision.refused.includes(CREDENTIAL_SCOPE);
      const ids = wider.map((grant) => grant.grantId);
      await this.grants.revokeAll(manager, ids, isRefused ? key : undefined);
      await this.grants.revokeSurplus(
        manager,
        surplus.filter((id) => !ids.includes(id)),
      );
      return grantId;
    });
  }

  /**
   * Copies the latest decisions on these scopes into a grant for another session.
   * @returns the grant's id; undefined if the user must be asked
   */
  copy(key: ConsentKey, scopes: ReadonlySet<string>): Promise<string | undefined> {
    return this.withConsentLock(key, async (manager) => {
      const existing = await this.grants.list(key.userId, key.clientId, manager);
      const latest = findLatestConsent(existing, scopes);
      if (!latest) return undefined;
      const grantId = await insertGrant(manager, key, latest, latest.grantIds);
      await this.grants.revokeSurplus(manager, await listSurplusGrantIds(manager, key, grantId));
      return grantId;
    });
  }

  /** Revokes all grants of a user to a client application, which the user disconnects. */
  async revoke(key: ConsentKey): Promise<void> {
    await this.withConsentLock(key, async (manager) => {
      await this.grants.revokeAll(manager, await listGrantIds(manager, key), key);
    });
  }

  private withConsentLock<T>(key: ConsentKey, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transactions.transaction(async (manager) => {
      await lockConsents(manager, key);
      return work(manager);
    });
  }
}
