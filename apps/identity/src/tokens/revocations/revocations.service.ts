import { Database } from '@app/database';
import type { FindRevokedTokensResponse, RevokedTokensPage } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { recordCredentialChanges } from '../change-feed/credential-changes.queries.js';
import {
  findRevokedTokens,
  insertRevokedTokens,
  isTokenRevoked,
  listRevokedTokens,
  type TokenToRevoke,
} from './revoked-tokens.queries.js';

/** Keeps a response well below one megabyte. */
const PAGE_SIZE = 4_000;

/** Revoked tokens. Gateways learn of them through the change feed. */
@Injectable()
export class RevocationsService {
  constructor(private readonly database: Database) {}

  /**
   * Revokes tokens and appends them to the change feed. Call it once and last in a CredentialTransactionService transaction,
   * because it takes the feed's lock. Skips expired tokens.
   */
  async revoke(manager: EntityManager, tokens: readonly TokenToRevoke[]): Promise<void> {
    await recordCredentialChanges(manager, [], await insertRevokedTokens(manager, tokens));
  }

  isRevoked(id: string): Promise<boolean> {
    return isTokenRevoked(this.database, id);
  }

  async findRevoked(ids: readonly string[]): Promise<FindRevokedTokensResponse> {
    return { tokens: await findRevokedTokens(this.database, ids) };
  }

  /** A page of revoked tokens that have not expired, sorted by id. @param after the last id of the previous page */
  async listRevoked(after: string): Promise<RevokedTokensPage> {
    const tokens = await listRevokedTokens(this.database, after, PAGE_SIZE);
    return { tokens, next: tokens.length < PAGE_SIZE ? null : (tokens.at(-1)?.id ?? null) };
  }
}
