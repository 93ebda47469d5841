import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { GrantService } from './grant.service.js';
import { type ConsentDecision, insertGrant, type ConsentKey } from './insert-grant.js';
import { type LatestConsent, findLatestConsent } from './find-latest-consent.js';

/** A user has at most this many grants to one client application: one per session. */
const MAX_GRANTS_PER_CONSENT = 20;

/**
 * A statement of its own, so that the next statement sees what the previous lock owner committed. Every writer of consents
 * takes the lock, so that no grant is copied while it is being revoked.
 */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('gatehouse decisions ' || $1 || ' ' || $2, 0))`;

/**
 * Surplus grants: first those without live tokens, then the oldest. A grant of the last ten minutes counts as live, because
 * its first code may not be issued yet.
 */
const SURPLUS = `
  SELECT id FROM identity.oauth_models AS granted
  WHERE kind = 'Grant' AND account_id = $1 AND client_id = $2 AND id <> $3
  ORDER BY expires_at > now() AND (created_at > now() - interval '10 minutes' OR EXISTS (
      SELECT 1 FROM identity.oauth_models AS issued
      WHERE issued.grant_id = granted.id AND issued.kind <> 'Grant' AND issued.expires_at > now()
    )) DESC, created_at DESC
  OFFSET ${MAX_GRANTS_PER_CONSENT - 1}`;

const ALL = `SELECT id FROM identity.oauth_models WHERE kind = 'Grant' AND account_id = $1 AND client_id = $2`;

const ids = z.array(z.object({ id: z.string() })).transform((rows) => rows.map(({ id }) => id));

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
      await this.grants.revokeAll(manager, [
        ...wider.map((grant) => grant.grantId),
        ...(await this.listSurplusGrants(manager, key, grantId)),
      ]);
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
      await this.grants.revokeAll(manager, await this.listSurplusGrants(manager, key, grantId));
      return grantId;
    });
  }

  /** Revokes all grants of a user to a client application. */
  async revoke(key: ConsentKey): Promise<void> {
    await this.withConsentLock(key, async (manager) => {
      const existing = ids.parse(await manager.query(ALL, [key.userId, key.clientId]));
      await this.grants.revokeAll(manager, existing);
    });
  }

  private async listSurplusGrants(
    manager: EntityManager,
    key: ConsentKey,
    grantId: string,
  ): Promise<string[]> {
    return ids.parse(await manager.query(SURPLUS, [key.userId, key.clientId, grantId]));
  }

  private withConsentLock<T>(
    { userId, clientId }: ConsentKey,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.transactions.transaction(async (manager) => {
      await manager.query(LOCK, [userId, clientId]);
      return work(manager);
    });
  }
}
