import type { Pool } from 'pg';

export const CHAIN_ID = 31337;
/** Lower addresses belong to the chain itself. */
const FIRST_ADDRESS = 0x10_0000;

export const rich = { type: 'NATIVE', chainId: CHAIN_ID, minToken: '1', roleId: 'rich' };

export interface SeededCommunity {
  id: string;
  members: number;
  rules?: readonly { readonly roleId: string; readonly [field: string]: unknown }[];
  visibility?: 'public' | 'members' | 'hidden';
  clientId?: string;
}

export const ownerOf = (communityId: string): string => `owner_of_${communityId}`;

/** Members are numbered from 1 on, in the order in which they joined; each has one wallet, the same in every community. */
export const memberId = (member: number): string => `user_${member}`;
export const memberAddress = (member: number): string =>
  `0x${(FIRST_ADDRESS + member).toString(16).padStart(40, '0')}`;

const USERS = `
  WITH known AS (
    INSERT INTO identity.users (id, platform, platform_user_id)
    SELECT 'user_' || n, 'chat', n FROM generate_series(1, $1::int) n
    ON CONFLICT DO NOTHING RETURNING id, platform_user_id::int AS n
  ), wallet AS (
    SELECT id, n, '0x' || lpad(to_hex($2::int + n), 40, '0') AS address FROM known
  )
  INSERT INTO identity.wallet_connections
    (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id)
  SELECT 'wallet_' || n, id, address, address, 'eip155:1:' || address, 'ethereum', 'eoa', '1' FROM wallet`;

const COMMUNITY = `
  INSERT INTO token_gating.communities
    (id, name, platform, visibility, owner_id, rules, member_count, next_check_at)
  VALUES ($1, $1, 'chat', $2, $3, $4, $5, 'infinity')`;

const ROLES = `
  INSERT INTO token_gating.community_roles (community_id, id, name, position)
  SELECT $1, id, id, position FROM unnest($2::text[]) WITH ORDINALITY AS role (id, position)`;

const MEMBERS = `
  INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
  SELECT $1, 'user_' || n, 'chat', n, now() - interval '1 day' + n * interval '1 microsecond'
  FROM generate_series(1, $2::int) n`;

/** A community as requests leave it, with as many members as wanted. It is never due by itself. */
export async function seedCommunity(sql: Pool, community: SeededCommunity): Promise<string> {
  const { id, members, rules = [rich], visibility = 'members', clientId } = community;
  await sql.query(USERS, [members, FIRST_ADDRESS]);
  await sql.query(COMMUNITY, [id, visibility, ownerOf(id), JSON.stringify(rules), members]);
  await sql.query(ROLES, [id, [...new Set(rules.map(({ roleId }) => roleId))]]);
  await sql.query(MEMBERS, [id, members]);
  await sql.query(
    'INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)',
    [id, ownerOf(id)],
  );
  if (clientId !== undefined)
    await sql.query('INSERT INTO token_gating.community_clients (community_id, client_id) VALUES ($1, $2)', [
      id,
      clientId,
    ]);
  return id;
}
