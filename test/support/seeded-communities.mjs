/** @import { Pool } from 'pg' */

/** Lower addresses belong to the chain itself. */
const FIRST_ADDRESS = 0x10_0000;

/**
 * @typedef {object} SeededCommunity
 * @property {string} id
 * @property {number} members
 * @property {readonly { readonly roleId: string, readonly [field: string]: unknown }[]} rules
 * @property {'public' | 'members' | 'hidden'} [visibility]
 * @property {string} [clientId] an attached client application
 */

/**
 * Members are numbered from 1 on, in the order in which they joined; each has one wallet, the same in every community.
 * @param {number} member
 */
export const memberId = (member) => `user_${member}`;
/** @param {number} member */
export const memberAddress = (member) => `0x${(FIRST_ADDRESS + member).toString(16).padStart(40, '0')}`;
/** @param {string} communityId */
export const ownerOf = (communityId) => `owner_of_${communityId}`;

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

const ADMINISTRATOR =
  'INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)';

const CLIENT = 'INSERT INTO token_gating.community_clients (community_id, client_id) VALUES ($1, $2)';

const ROLES = `
  INSERT INTO token_gating.community_roles (community_id, id, name, position)
  SELECT $1, id, id, position FROM unnest($2::text[]) WITH ORDINALITY AS role (id, position)`;

const MEMBERS = `
  INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
  SELECT $1, 'user_' || n, 'chat', n, now() - interval '1 day' + n * interval '1 microsecond'
  FROM generate_series(1, $2::int) n`;

/**
 * A community as requests leave it, with as many members as wanted. It is never due by itself.
 * @param {Pool} sql
 * @param {SeededCommunity} community
 */
export async function seedCommunity(sql, { id, members, rules, visibility = 'members', clientId }) {
  const roleIds = [...new Set(rules.map(({ roleId }) => roleId))];
  await sql.query(USERS, [members, FIRST_ADDRESS]);
  await sql.query(COMMUNITY, [id, visibility, ownerOf(id), JSON.stringify(rules), members]);
  await sql.query(ADMINISTRATOR, [id, ownerOf(id)]);
  if (clientId !== undefined) await sql.query(CLIENT, [id, clientId]);
  await sql.query(ROLES, [id, roleIds]);
  await sql.query(MEMBERS, [id, members]);
}
