import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Grants, type UserGrant } from './grants.js';

/** So many grants of one user to one client application there are at most: one for each of its sessions. */
const MOST = 20;

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

const ids = z.array(z.object({ id: z.string() }));

/** A grant that was just made. */
export interface Decision {
  readonly userId: string;
  readonly clientId: string;
  readonly grantId: string;
  /** What the user was asked for and refused. */
  readonly refused: readonly string[];
}

/**
 * What a user decided about a client application, over all sessions: about each scope the latest decision counts, for as long
 * as it was made for.
 */
@Injectable()
export class Decisions {
  constructor(
    private readonly database: Database,
    private readonly grants: Grants,
  ) {}

  /** The latest that says yes or no to all of these scopes. */
  async about(userId: string, clientId: string, scopes: ReadonlySet<string>): Promise<UserGrant | undefined> {
    const made = await this.grants.of(userId, clientId);
    return made.find(({ scopes: granted, refused }) =>
      [...scopes].every((scope) => granted.includes(scope) || refused.includes(scope)),
    );
  }

  /** Ends what a new decision takes back, in every session, with its tokens; and the grants that are too many. */
  async replaceBy({ userId, clientId, grantId, refused }: Decision): Promise<void> {
    const made = await this.grants.of(userId, clientId);
    const wider = made.filter(({ scopes }) => scopes.some((scope) => refused.includes(scope)));
    for (const grant of wider) if (grant.grantId !== grantId) await this.grants.end(grant.grantId);
    const surplus = ids.parse(await this.database.query(SURPLUS, [userId, clientId, grantId]));
    for (const { id } of surplus) await this.grants.end(id);
  }
}
