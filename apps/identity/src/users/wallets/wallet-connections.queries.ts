import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import {
  type AccountWalletsRequest,
  type LinkedWallet,
  linkedWallet,
  MAX_WALLETS_PER_USER,
  type Scope,
  userPlatform,
  type WalletReadersResponse,
  walletReadersResponse,
} from '@app/dto';
import { FIRST_SORT_KEY, type PageCursor } from '@app/service';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Wallet } from './wallet.js';

export async function hasWallet(db: Queryable, userId: string, walletKey: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM identity.wallet_connections WHERE user_id = $1 AND wallet_key = $2';
  return (await queryRows(db, sql, [userId, walletKey])).length > 0;
}

/** Whether a wallet with this id is linked to anybody. */
export async function isLinkedWallet(db: Queryable, id: string): Promise<boolean> {
  return (await queryRows(db, 'SELECT 1 FROM identity.wallet_connections WHERE id = $1', [id])).length > 0;
}

/** Bounds the work that one link causes for a wallet that very many users share. */
const MAX_OTHER_USERS = 100;

/**
 * The owner of wallets. Wallets of a platform user belong to one community: applications of others do not reach them.
 */
export interface WalletOwner {
  readonly userId: string;
  /** The community; empty for wallets that count in every community. */
  readonly communityId: string;
}

const ownerRows = z.array(z.object({ userId: z.string(), communityId: z.string() }));

/** Finds other users that linked the wallet, at most a hundred. */
export async function findOtherOwners(
  db: Queryable,
  userId: string,
  walletKey: string,
): Promise<WalletOwner[]> {
  const sql = `
    SELECT user_id AS "userId", community_id AS "communityId" FROM identity.wallet_connections
    WHERE wallet_key = $1 AND user_id <> $2 ORDER BY user_id, community_id LIMIT ${MAX_OTHER_USERS}`;
  return ownerRows.parse(await queryRows(db, sql, [walletKey, userId]));
}

const insertedRow = z.tuple([
  z.object({ isKnown: z.boolean(), at: z.string().nullable(), otherUserIds: z.array(z.string()) }),
]);

/**
 * Inserts a wallet unless its owner has it, or as many as are allowed.
 * @returns whether the wallet was linked before, its creation time when it is new, and at most a hundred other users that have it
 */
export async function insertWallet(
  manager: EntityManager,
  id: string,
  { userId, communityId }: WalletOwner,
  wallet: Wallet,
) {
  const sql = `
    WITH linked AS (
      SELECT wallet_key FROM identity.wallet_connections WHERE user_id = $2 AND community_id = $9
    ), added AS (
      INSERT INTO identity.wallet_connections
        (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id, community_id, created_at)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp()
      WHERE NOT EXISTS (SELECT FROM linked WHERE wallet_key = $3)
        AND (SELECT count(*) FROM linked) < ${MAX_WALLETS_PER_USER}
      RETURNING created_at
    )
    SELECT EXISTS (SELECT FROM linked WHERE wallet_key = $3) AS "isKnown",
      (SELECT ${formatTimestampSql('created_at')} FROM added) AS at,
      ARRAY (
        SELECT DISTINCT user_id FROM identity.wallet_connections WHERE wallet_key = $3 AND user_id <> $2
        ORDER BY user_id LIMIT ${MAX_OTHER_USERS}
      ) AS "otherUserIds"`;
  const { platform, key, address, accountId, type, chainId } = wallet;
  const parameters = [id, userId, key, address, accountId, platform, type, chainId, communityId];
  return insertedRow.parse(await queryRows(manager, sql, parameters))[0];
}

const deletedRows = z.array(z.object({ accountId: z.string(), at: z.string() }));

/**
 * Some wallets of an owner: the wallet with an id, those at an address, those with one of these keys (see Wallet), or
 * all.
 */
export type WalletSelection =
  | { readonly id: string }
  | { readonly address: string }
  | { readonly keys: readonly string[] }
  | 'all';

/** Remembers the deleted wallets (unlinked-wallets.queries.ts). @returns their CAIP-10 ids, and the time */
export async function deleteWallets(
  manager: EntityManager,
  { userId, communityId }: WalletOwner,
  selection: WalletSelection,
) {
  const sql = `
    WITH deleted AS (
      DELETE FROM identity.wallet_connections
      WHERE user_id = $1 AND community_id = $4 AND ($2::text IS NULL OR address = $2)
        AND ($3::text[] IS NULL OR wallet_key = ANY ($3::text[])) AND ($5::text IS NULL OR id = $5)
      RETURNING id, account_id, created_at, clock_timestamp() AS at
    ), remembered AS (
      INSERT INTO identity.unlinked_wallets (id, user_id, community_id, account_id, linked_at, unlinked_at)
      SELECT id, $1, $4, account_id, created_at, at FROM deleted
      ON CONFLICT (id) DO UPDATE SET linked_at = excluded.linked_at, unlinked_at = excluded.unlinked_at
    )
    SELECT account_id AS "accountId", ${formatTimestampSql('at')} AS at FROM deleted`;
  const address = typeof selection === 'object' && 'address' in selection ? selection.address : null;
  const keys = typeof selection === 'object' && 'keys' in selection ? selection.keys : null;
  const id = typeof selection === 'object' && 'id' in selection ? selection.id : null;
  return deletedRows.parse(await queryRows(manager, sql, [userId, address, keys, communityId, id]));
}

const listRows = z.array(
  z.object({
    id: z.string(),
    createdTime: z.date().transform((date) => date.toISOString()),
    address: z.string(),
    accountId: z.string(),
    userId: z.string(),
    platform: userPlatform,
    walletType: z.string(),
    chainId: z.string(),
    metadata: z.looseObject({}),
    /** See Wallet. */
    key: z.string(),
    /** The time with microseconds, as the sort key of pages needs. */
    at: z.string(),
  }),
);

/** An owner's wallets, oldest first. */
export async function listWallets(
  db: Queryable,
  { userId, communityId }: WalletOwner,
  { after = FIRST_SORT_KEY, rowLimit }: PageCursor,
) {
  const sql = `
    SELECT id, created_at AS "createdTime", address, account_id AS "accountId", user_id AS "userId", platform,
      wallet_type AS "walletType", chain_id AS "chainId", metadata, wallet_key AS key,
      ${formatTimestampSql('created_at')} AS at
    FROM identity.wallet_connections
    WHERE user_id = $1 AND community_id = $5 AND (created_at, id) > ($2::timestamptz, $3)
    ORDER BY created_at, id LIMIT $4`;
  return listRows.parse(await queryRows(db, sql, [userId, ...after, rowLimit, communityId]));
}

const accountRows = z.array(z.object({ accountId: z.string() }));

/** The wallets of a user who signs in, as CAIP-10, oldest first: at most MAX_WALLETS_PER_USER. */
export async function listWalletAccounts(db: Queryable, userId: string): Promise<string[]> {
  const sql = `
    SELECT account_id AS "accountId" FROM identity.wallet_connections
    WHERE user_id = $1 AND community_id = '' ORDER BY created_at, id`;
  return accountRows.parse(await queryRows(db, sql, [userId])).map(({ accountId }) => accountId);
}

const sharedWalletRows = z.array(z.object({ id: z.string(), accountId: z.string(), since: z.date() }));
export type SharedWallet = z.output<typeof sharedWalletRows>[number];

/** The user's wallets that other users linked too, and when one of them did so last. */
export async function findSharedWallets(db: Queryable, userId: string): Promise<SharedWallet[]> {
  const sql = `
    SELECT mine.id, mine.account_id AS "accountId", max(shared.created_at) AS since
    FROM identity.wallet_connections AS mine, LATERAL (
      SELECT other.created_at FROM identity.wallet_connections AS other
      WHERE other.wallet_key = mine.wallet_key AND other.user_id <> $1
      ORDER BY other.user_id LIMIT ${MAX_OTHER_USERS}
    ) AS shared
    WHERE mine.user_id = $1 GROUP BY mine.id ORDER BY since DESC`;
  return sharedWalletRows.parse(await queryRows(db, sql, [userId]));
}

const ids = z.array(z.object({ id: z.string() })).transform((rows) => rows.map(({ id }) => id));

export const MAX_LINKED_USERS = 1_000;

/**
 * Compares wallet keys, so that a contract wallet is shared only on its own chain. The inner LIMIT bounds the work for a
 * widely shared wallet; the overall first thousand are among each wallet's first thousand.
 */
const LINKED_USERS = `
  SELECT DISTINCT shared.user_id AS id
  FROM identity.wallet_connections AS mine, LATERAL (
    SELECT DISTINCT other.user_id FROM identity.wallet_connections AS other
    WHERE other.wallet_key = mine.wallet_key AND other.user_id <> $1
    ORDER BY other.user_id LIMIT ${MAX_LINKED_USERS}
  ) AS shared
  WHERE mine.user_id = $1 AND mine.platform = 'ethereum'
  ORDER BY id LIMIT ${MAX_LINKED_USERS}`;

/** Users that share at least one Ethereum account: at most a thousand ids, sorted, without the user's own. */
export async function findLinkedUserIds(db: Queryable, userId: string): Promise<string[]> {
  return ids.parse(await queryRows(db, LINKED_USERS, [userId]));
}

/** Columns with the field names of LinkedWallet. */
const WALLET_COLUMNS = 'wallet_type AS type, chain_id AS "chainId", address';

const memberWalletRows = z.array(
  z.object({ userId: z.string(), communityId: z.string(), wallets: z.array(linkedWallet) }),
);

/** The wallets of users that count in the community named beside each. Omits users without wallets. */
export async function findWalletsOfMembers(
  db: Queryable,
  members: readonly WalletOwner[],
): Promise<z.output<typeof memberWalletRows>> {
  const sql = `
    SELECT asked.user_id AS "userId", asked.community_id AS "communityId",
      json_agg(json_build_object('type', wallet_type, 'chainId', chain_id, 'address', address) ORDER BY created_at, id) AS wallets
    FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS asked (user_id, community_id)) AS asked
    JOIN identity.wallet_connections w ON w.user_id = asked.user_id AND w.community_id IN ('', asked.community_id)
    GROUP BY asked.user_id, asked.community_id ORDER BY asked.user_id`;
  const columns = [members.map(({ userId }) => userId), members.map(({ communityId }) => communityId)];
  return memberWalletRows.parse(await queryRows(db, sql, columns));
}

const WALLET_READ_SCOPE: Scope = 'user:wallet:read';

/**
 * SQL condition: the user's latest consent decision about this scope and client application granted it, or a live sign-in
 * there has the scope. Reads oauth_models and ae_tokens directly: one snapshot, and no import of the login features.
 */
const createIsAllowed = ({ userId, clientId, scope }: Record<'userId' | 'clientId' | 'scope', string>) => `
  coalesce((
    SELECT ${scope} = ANY (string_to_array(payload #>> '{openid,scope}', ' ')) FROM identity.oauth_models
    WHERE kind = 'Grant' AND account_id = ${userId} AND client_id = ${clientId} AND expires_at > now()
      AND ${scope} = ANY (string_to_array(
        concat_ws(' ', payload #>> '{openid,scope}', payload #>> '{rejected,openid,scope}'), ' '))
    ORDER BY coalesce(decided_at, created_at) DESC, created_at DESC LIMIT 1
  ), false) OR EXISTS (
    SELECT FROM identity.ae_tokens
    WHERE user_id = ${userId} AND client_id = ${clientId} AND expires_at > now() AND ${scope} = ANY (scopes)
  )`;

/** No row for a user that is unknown or not visible to the requester; a row of nulls for a user without wallets. */
const VISIBLE_WALLETS = `
  SELECT wallet.* FROM identity.users LEFT JOIN LATERAL (
    SELECT ${WALLET_COLUMNS} FROM identity.wallet_connections
    WHERE user_id = $1 AND community_id = '' ORDER BY created_at, wallet_connections.id
  ) AS wallet ON true
  WHERE users.id = $1 AND ($1 = $2 OR ${createIsAllowed({ userId: '$1', clientId: '$3', scope: '$4' })})`;

const visibleWalletRows = z.array(
  z.object({
    type: z.enum(['eoa', 'contract', 'solana']).nullable(),
    chainId: z.string().nullable(),
    address: z.string().nullable(),
  }),
);

/** The wallets of a user; null for a user that is unknown, or whose wallets the requester may not read. */
export async function findVisibleWallets(
  db: Queryable,
  { userId, asker: requester }: AccountWalletsRequest,
): Promise<LinkedWallet[] | null> {
  const parameters = [userId, requester.userId ?? null, requester.clientId ?? null, WALLET_READ_SCOPE];
  const found = visibleWalletRows.parse(await queryRows(db, VISIBLE_WALLETS, parameters));
  if (found.length === 0) return null;
  return found.flatMap(({ type, chainId, address }) =>
    type !== null && chainId !== null && address !== null ? [{ type, chainId, address }] : [],
  );
}

/** Every application with a grant or a live sign-in of the user is asked for. */
const WALLET_READERS = `
  SELECT asked.user_id AS "userId", array_agg(known.client_id ORDER BY known.client_id) AS "clientIds"
  FROM (SELECT DISTINCT * FROM unnest($1::text[]) AS asked (user_id)) AS asked
  CROSS JOIN LATERAL (
    SELECT client_id FROM identity.oauth_models
    WHERE kind = 'Grant' AND account_id = asked.user_id AND client_id IS NOT NULL
    UNION SELECT client_id FROM identity.ae_tokens WHERE user_id = asked.user_id AND client_id IS NOT NULL
  ) AS known
  WHERE ${createIsAllowed({ userId: 'asked.user_id', clientId: 'known.client_id', scope: '$2' })}
  GROUP BY asked.user_id`;

const walletReaders = walletReadersResponse.shape.users;

/** The client applications that may read the wallets of each user, as `findVisibleWallets` decides. */
export async function findWalletReaders(
  db: Queryable,
  userIds: readonly string[],
): Promise<WalletReadersResponse['users']> {
  return walletReaders.parse(await queryRows(db, WALLET_READERS, [userIds, WALLET_READ_SCOPE]));
}

/** Deletes wallets that were linked in a community, without events. @returns how many, at most `limit` */
export async function deleteCommunityWallets(
  db: Queryable,
  communityId: string,
  limit: number,
): Promise<number> {
  const sql = `
    DELETE FROM identity.wallet_connections WHERE id IN (
      SELECT id FROM identity.wallet_connections
      WHERE community_id = $1 AND community_id <> '' LIMIT $2
    ) RETURNING id`;
  return (await queryRows(db, sql, [communityId, limit])).length;
}
