import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { GrantService } from './grant.service.js';
import { type ConsentDecision, insertGrant, type ConsentKey } from './insert-grant.js';
import { type LatestConsent, findLatestConsent } from './find-latest-consent.js';

/** So many grants of one user to one client application there are at most: one for each of its sessions. */
const MAX_GRANTS_PER_CONSENT = 20;

/**
 * By itself: the statement after it sees what the one before us did. Whoever reads decisions to write one has it, so that
 * nothing is copied while it is taken back.
 */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('gatehouse decisions ' || $1 || ' ' || $2, 0))`;

/**
 * Those that are too many: first those under which nothing is alive, then the oldest. One that was made just now may be
 * about to give its first code.
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
 * What users decided about client applications, over all sessions: about each scope the latest decision counts, for as long as
 * it was made for.
 */
@Injectable()
export class ConsentService {
  constructor(
    private readonly writes: CredentialTransactionService,
    private readonly grants: GrantService,
  ) {}

  /** What counts about all of these scopes, or undefined when the user has to be asked. */
  async findLatest(pair: ConsentKey, scopes: ReadonlySet<string>): Promise<LatestConsent | undefined> {
    return findLatestConsent(await this.grants.list(pair.userId, pair.clientId), scopes);
  }

  /**
   * Keeps a new decision, and ends what it takes back, in every session, with its tokens.
   * @returns the grant's id
   */
  record(pair: ConsentKey, answers: ConsentDecision): Promise<string> {
    return this.withConsentLock(pair, async (manager) => {
      const made = await this.grants.list(pair.userId, pair.clientId, manager);
      const wider = made.filter(({ scopes }) => scopes.some((scope) => answers.refused.includes(scope)));
      const grantId = await insertGrant(manager, pair, answers);
      const narrowed = wider.map((grant) => grant.grantId);
      await this.grants.revokeAll(manager, [
        ...narrowed,
        ...(await this.listSurplusGrants(manager, pair, grantId)),
      ]);
      return grantId;
    });
  }

  /**
   * Copies what counts about these scopes, for a session of its own.
   * @returns the grant's id, or undefined when the user has to be asked
   */
  copy(pair: ConsentKey, scopes: ReadonlySet<string>): Promise<string | undefined> {
    return this.withConsentLock(pair, async (manager) => {
      const made = await this.grants.list(pair.userId, pair.clientId, manager);
      const latest = findLatestConsent(made, scopes);
      if (!latest) return undefined;
      const grantId = await insertGrant(manager, pair, latest, latest.grantIds);
      await this.grants.revokeAll(manager, await this.listSurplusGrants(manager, pair, grantId));
      return grantId;
    });
  }

  /** Takes back all that a user allowed a client application. */
  async revoke(pair: ConsentKey): Promise<void> {
    await this.withConsentLock(pair, async (manager) => {
      const made = ids.parse(await manager.query(ALL, [pair.userId, pair.clientId]));
      await this.grants.revokeAll(manager, made);
    });
  }

  private async listSurplusGrants(
    manager: EntityManager,
    pair: ConsentKey,
    grantId: string,
  ): Promise<string[]> {
    return ids.parse(await manager.query(SURPLUS, [pair.userId, pair.clientId, grantId]));
  }

  private withConsentLock<T>(
    { userId, clientId }: ConsentKey,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.writes.transaction(async (manager) => {
      await manager.query(LOCK, [userId, clientId]);
      return work(manager);
    });
  }
}
