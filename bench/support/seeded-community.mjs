/** Lower addresses belong to the chain itself. */
const FIRST_ADDRESS = 0x10_0000;

/** Members are numbered from 1 on. */
export const memberAddress = (member) => `0x${(FIRST_ADDRESS + member).toString(16).padStart(40, '0')}`;

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
  INSERT INTO token_gating.communities (id, name, platform, visibility, owner_id, rules, member_count, next_check_at)
  VALUES ($1, $1, 'chat', 'members', 'user_1', $2, $3, 'infinity')`;

const ROLES = `
  INSERT INTO token_gating.community_roles (community_id, id, name, position)
  SELECT $1, id, id, position FROM unnest($2::text[]) WITH ORDINALITY AS role (id, position)`;

const MEMBERS = `
  INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
  SELECT $1, 'user_' || n, 'chat', n, now() - interval '1 day' + n * interval '1 microsecond'
  FROM generate_series(1, $2::int) n`;

/**
 * A community whose members have a wallet each.
 * @param {import('pg').Pool} sql
 * @param {{ id: string, members: number, rules: { roleId: string }[] }} community
 */
export async function seedCommunity(sql, { id, members, rules }) {
  await sql.query(USERS, [members, FIRST_ADDRESS]);
  await sql.query(COMMUNITY, [id, JSON.stringify(rules), members]);
  await sql.query(ROLES, [id, rules.map(({ roleId }) => roleId)]);
  await sql.query(MEMBERS, [id, members]);
  await sql.query('ANALYZE');
}
