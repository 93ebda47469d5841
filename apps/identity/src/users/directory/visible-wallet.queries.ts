import { Database } from '@app/database';
import type { AccountWalletsResponse, AccountWalletsRequest, Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { WALLET_COLUMNS } from './user-wallet.queries.js';

const WALLET_READ_SCOPE: Scope = 'user:wallet:read';

/**
 * True when the user's latest consent decision about this scope and client application granted it, or when a live sign-in
 * there has the scope. Reads oauth_models and ae_tokens directly: one snapshot, and no import of the login features.
 */
const IS_ALLOWED = `
  coalesce((
    SELECT $4 = ANY (string_to_array(payload #>> '{openid,scope}', ' ')) FROM identity.oauth_models
    WHERE kind = 'Grant' AND account_id = $1 AND client_id = $3 AND expires_at > now()
      AND $4 = ANY (string_to_array(
        concat_ws(' ', payload #>> '{openid,scope}', payload #>> '{rejected,openid,scope}'), ' '))
    ORDER BY coalesce(decided_at, created_at) DESC, created_at DESC LIMIT 1
  ), false) OR EXISTS (
    SELECT FROM identity.ae_tokens
    WHERE user_id = $1 AND client_id = $3 AND expires_at > now() AND $4 = ANY (scopes)
  )`;

/** No row for a user that is unknown or not visible to the requester; a row of nulls for a user without wallets. */
const WALLETS = `
  SELECT wallet.* FROM identity.users LEFT JOIN LATERAL (
    SELECT ${WALLET_COLUMNS} FROM identity.wallet_connections WHERE user_id = $1 ORDER BY created_at, wallet_connections.id
  ) AS wallet ON true
  WHERE users.id = $1 AND ($1 = $2 OR ${IS_ALLOWED})`;

const rows = z.array(
  z.object({
    type: z.enum(['eoa', 'contract', 'solana']).nullable(),
    chainId: z.string().nullable(),
    address: z.string().nullable(),
  }),
);

/** The wallets of a user, if the requester may read them. */
@Injectable()
export class VisibleWalletQueries {
  constructor(private readonly database: Database) {}

  async findVisible({ userId, asker }: AccountWalletsRequest): Promise<AccountWalletsResponse> {
    const parameters = [userId, asker.userId ?? null, asker.clientId ?? null, WALLET_READ_SCOPE];
    const found = rows.parse(await this.database.query(WALLETS, parameters));
    if (found.length === 0) return { wallets: null };
    const wallets = found.flatMap(({ type, chainId, address }) =>
      type !== null && chainId !== null && address !== null ? [{ type, chainId, address }] : [],
    );
    return { wallets };
  }
}
