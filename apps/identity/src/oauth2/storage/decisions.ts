import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CredentialWrites } from '../../credentials/credential-writes.js';
import { Grants } from './grants.js';
import { type Answers, insertGrant, type Pair } from './insert-grant.js';
import { type LatestDecision, latestDecision } from './latest-decision.js';

/** So many grants of one user to one client application there are at most: one for each of its sessions. */
const MOST = 20;

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
  OFFSET ${MOST - 1}`;

const ALL = `SELECT id FROM identity.oauth_models WHERE kind = 'Grant' AND account_id = $1 AND client_id = $2`;

const ids = z.array(z.object({ id: z.string() })).transform((rows) => rows.map(({ id }) => id));

/**
 * What users decided about client applications, over all sessions: about each scope the latest decision counts, for as long as
 * it was made for.
 */
@Injectable()
export class Decisions {
  constructor(
    private readonly writes: CredentialWrites,
    private readonly grants: Grants,
  ) {}

  /** What counts about all of these scopes, or undefined when the user has to be asked. */
  async about(pair: Pair, scopes: ReadonlySet<string>): Promise<LatestDecision | undefined> {
    return latestDecision(await this.grants.of(pair.userId, pair.clientId), scopes);
  }

  /**
   * Keeps a new decision, and ends what it takes back, in every session, with its tokens.
   * @returns the grant's id
   */
  make(pair: Pair, answers: Answers): Promise<string> {
    return this.alone(pair, async (manager) => {
      const made = await this.grants.of(pair.userId, pair.clientId, manager);
      const wider = made.filter(({ scopes }) => scopes.some((scope) => answers.refused.includes(scope)));
      const grantId = await insertGrant(manager, pair, answers);
      const narrowed = wider.map((grant) => grant.grantId);
      await this.grants.endIn(manager, [...narrowed, ...(await this.surplus(manager, pair, grantId))]);
      return grantId;
    });
  }

  /**
   * Copies what counts about these scopes, for a session of its own.
   * @returns the grant's id, or undefined when the user has to be asked
   */
  copy(pair: Pair, scopes: ReadonlySet<string>): Promise<string | undefined> {
    return this.alone(pair, async (manager) => {
      const made = await this.grants.of(pair.userId, pair.clientId, manager);
      const latest = latestDecision(made, scopes);
      if (!latest) return undefined;
      const grantId = await insertGrant(manager, pair, latest, latest.from);
      await this.grants.endIn(manager, await this.surplus(manager, pair, grantId));
      return grantId;
    });
  }

  /** Takes back all that a user allowed a client application. */
  async takeBack(pair: Pair): Promise<void> {
    await this.alone(pair, async (manager) => {
      const made = ids.parse(await manager.query(ALL, [pair.userId, pair.clientId]));
      await this.grants.endIn(manager, made);
    });
  }

  private async surplus(manager: EntityManager, pair: Pair, grantId: string): Promise<string[]> {
    return ids.parse(await manager.query(SURPLUS, [pair.userId, pair.clientId, grantId]));
  }

  private alone<T>({ userId, clientId }: Pair, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.writes.transaction(async (manager) => {
      await manager.query(LOCK, [userId, clientId]);
      return work(manager);
    });
  }
}
