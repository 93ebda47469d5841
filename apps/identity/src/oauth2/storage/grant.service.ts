import { Database, type Queryable } from '@app/database';
import type { Scope } from '@app/dto';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import type { TokenToRevoke } from '../../tokens/revocations/revoked-tokens.queries.js';
import { UserEventsService } from '../../users/user-events.service.js';
import {
  deleteExpiredModels,
  type ConsentKey,
  type DeletedToken,
  deleteGrants,
  deleteToken,
  deleteTokensOfGrants,
  listEndedConsents,
  listGrants,
  lockGrants,
  type UserGrant,
} from './oauth-models.queries.js';
import type { ModelKind } from './model-kind.js';

/** The scope by which a client application has verifiable credentials issued for a user. */
export const CREDENTIAL_SCOPE: Scope = 'user:verifiable-credential:write';

/** Lists and revokes grants. Access tokens also go on the revocation list, because gateways verify them on their own. */
@Injectable()
export class GrantService {
  constructor(
    private readonly database: Database,
    private readonly transactions: CredentialTransactionService,
    private readonly revocations: RevocationsService,
    private readonly events: UserEventsService,
  ) {}

  /** Lists a user's grants, latest decision first. @param db the caller's transaction, if any */
  list(userId: string, clientId?: string, db: Queryable = this.database): Promise<UserGrant[]> {
    return listGrants(db, userId, clientId);
  }

  /** Revokes a grant with all codes and tokens issued under it. */
  async revoke(grantId: string): Promise<void> {
    await this.transactions.transaction((manager) => this.revokeAll(manager, [grantId]));
  }

  /**
   * Revokes several grants. Must be the last statement of a transaction of CredentialTransactionService. For several grants
   * of one user and client the caller must hold their consent lock, because this takes one lock per grant.
   * @param disconnected a client application that loses its right without a grant, too: a wallet login may have given it
   */
  async revokeAll(
    manager: EntityManager,
    grantIds: readonly string[],
    disconnected?: ConsentKey,
  ): Promise<void> {
    if (grantIds.length === 0 && !disconnected) return;
    await lockGrants(manager, grantIds);
    const deleted = await deleteGrants(manager, grantIds, CREDENTIAL_SCOPE);
    await this.publishEndedConsents(manager, disconnected ? [disconnected] : deleted);
    await this.revokeDeleted(manager, await deleteTokensOfGrants(manager, grantIds));
  }

  /**
   * Revokes grants beyond the limit of a consent. The user has not ended the consent: verifiable credentials under these grants stay.
   * The same holds as for `revokeAll`.
   */
  async revokeSurplus(manager: EntityManager, grantIds: readonly string[]): Promise<void> {
    if (grantIds.length === 0) return;
    await lockGrants(manager, grantIds);
    await deleteGrants(manager, grantIds, CREDENTIAL_SCOPE);
    await this.revokeDeleted(manager, await deleteTokensOfGrants(manager, grantIds));
  }

  /** Deletes a batch of expired models, and ends the consents whose last grant expired. @returns whether more may exist */
  deleteExpired(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const { hasMore, ended } = await deleteExpiredModels(manager, CREDENTIAL_SCOPE);
      await this.publishEndedConsents(manager, ended);
      return hasMore;
    });
  }

  /** Revokes the tokens of one kind under a grant and keeps the grant. */
  async revokeTokens(grantId: string, kind: ModelKind): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      await lockGrants(manager, [grantId]);
      await this.revokeDeleted(manager, await deleteTokensOfGrants(manager, [grantId], kind));
    });
  }

  async revokeToken(kind: ModelKind, id: string): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      await lockGrants(manager, [id]);
      await this.revokeDeleted(manager, await deleteToken(manager, kind, id));
    });
  }

  /** Revokes a token without a stored model, such as one that was signed while its grant was being revoked. */
  async revokeUnstored(token: TokenToRevoke): Promise<void> {
    await this.transactions.transaction((manager) => this.revocations.revoke(manager, [token]));
  }

  /** Verifiable credentials that a client application asked for end with its right to ask for them. */
  private async publishEndedConsents(manager: EntityManager, keys: readonly ConsentKey[]): Promise<void> {
    if (keys.length === 0) return;
    const ended = await listEndedConsents(manager, keys, CREDENTIAL_SCOPE);
    await this.events.publishAll(
      manager,
      ended.map((consent) => ({ type: 'consent.ended', ...consent })),
    );
  }

  private async revokeDeleted(manager: EntityManager, deleted: readonly DeletedToken[]): Promise<void> {
    const tokens = deleted.filter(({ kind }) => kind === 'AccessToken');
    if (tokens.length > 0) await this.revocations.revoke(manager, tokens);
  }
}

const SWEEP_INTERVAL_MS = 10_000;

/** Deletes expired models in batches. */
@Injectable()
export class ExpiredModelSweeper extends Sweeper {
  constructor(context: ServiceContext, grants: GrantService) {
    const task = { name: 'delete expired OAuth models', sweep: () => grants.deleteExpired() };
    super(context, [task], SWEEP_INTERVAL_MS);
  }
}
