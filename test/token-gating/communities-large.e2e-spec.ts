import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { codeOf, CommunitiesWorld, type Headers, idOf, type Json } from './communities-world.js';
import { RowLock } from './row-lock.js';

const MEMBERS = 100_000;

let world: CommunitiesWorld;
let ownerId: string;
let owner: Headers;

beforeAll(async () => {
  world = await CommunitiesWorld.start();
  ownerId = await world.newUser();
  owner = world.as(ownerId);
}, 120_000);

afterAll(async () => {
  await world.stop();
});

/** Every member holds one of two roles. */
async function largeCommunity(): Promise<string> {
  const path = await world.newCommunity(ownerId);
  const id = idOf(path);
  await world.query(
    `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
     SELECT $1, 'user_' || n, 'chat', n, now() - interval '2 days' + n * interval '1 second'
     FROM generate_series(1, $2::int) AS n`,
    [id, MEMBERS],
  );
  await world.query('UPDATE token_gating.communities SET member_count = $2 WHERE id = $1', [id, MEMBERS]);
  for (const role of ['even', 'odd'])
    await world.expectOk('POST', `${path}/roles`, owner, { id: role, name: role });
  await world.query(
    `INSERT INTO token_gating.role_assignments (community_id, user_id, role_id)
     SELECT $1, 'user_' || n, CASE n % 2 WHEN 0 THEN 'even' ELSE 'odd' END FROM generate_series(1, $2::int) AS n`,
    [id, MEMBERS],
  );
  await world.query('ANALYZE token_gating.community_members, token_gating.role_assignments');
  return path;
}

const COMMUNITY_TABLES = [
  'deleted_communities',
  'community_members',
  'removed_members',
  'role_assignments',
  'community_roles',
  'community_administrators',
];
const ALL_MEMBERS = `
  SELECT FROM token_gating.community_members WHERE community_id = $1 FOR UPDATE`;

const COUNT_DELETES = `
  CREATE TABLE token_gating.deletes (name text, rows bigint);
  CREATE FUNCTION token_gating.count_delete() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO token_gating.deletes SELECT TG_TABLE_NAME, count(*) FROM gone; RETURN NULL; END $$;
  CREATE TRIGGER deleted AFTER DELETE ON token_gating.community_members REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION token_gating.count_delete();
  CREATE TRIGGER deleted AFTER DELETE ON token_gating.role_assignments REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION token_gating.count_delete()`;

interface TableCounts {
  /** Rows read by sequential scans. */
  scanned: number;
  /** Rows read by index scans. */
  walked: number;
}

/** Loads PostgreSQL's statistics of a table. */
async function countsOf(table: string): Promise<TableCounts> {
  const [row] = await world.query(
    `SELECT coalesce(seq_tup_read, 0)::float8 AS scanned, coalesce(idx_tup_fetch, 0)::float8 AS walked
     FROM pg_stat_user_tables WHERE schemaname = 'token_gating' AND relname = $1`,
    [table],
  );
  return row as TableCounts;
}

describe('a community of 100,000 members', () => {
  it('community of 100,000 members: is listed and shown to its members by index scans', async () => {
    const path = await largeCommunity();
    const before = await countsOf('community_members');
    const assignments = await countsOf('role_assignments');
    let token: string | undefined;
    const pages = 20;
    for (let page = 0; page < pages; page += 1) {
      const query: string = token === undefined ? '' : `&paginationToken=${token}`;
      const answer: Json = await world.expectOk('GET', `${path}/members?limit=100${query}`, owner);
      expect(answer['items']).toHaveLength(100);
      token = answer['paginationToken'] as string;
    }
    await world.expectOk('GET', `/account/communities`, world.as('user_77'));
    // Connections report statistics with a delay, at their next statement after a second.
    let after = before;
    await until('the index scans are counted', async () => {
      await Promise.all(Array.from({ length: 20 }, () => world.get(path, owner)));
      after = await countsOf('community_members');
      return after.walked - before.walked >= pages * 100;
    });
    expect(after.scanned - before.scanned).toBe(0);
    expect(after.walked - before.walked).toBeLessThan(pages * 101 + 200);
    expect((await countsOf('role_assignments')).scanned).toBe(assignments.scanned);
  });

  it('community of 100,000 members: deletes a role at once, revokes it in batches, and publishes one event per member who held it', async () => {
    const path = await largeCommunity();
    await world.expectOk('DELETE', `${path}/roles/odd`, owner);
    const { items } = await world.expectOk('GET', `${path}/members?limit=100`, owner);
    expect(new Set((items as Json[]).flatMap(({ roles }) => roles))).toEqual(new Set(['even']));
    expect(codeOf(await world.call('POST', `${path}/roles`, owner, { id: 'odd', name: 'odd' }))).toBe(
      'role_conflict',
    );
    const left =
      'SELECT role_id, count(*)::int FROM token_gating.role_assignments WHERE community_id = $1 GROUP BY 1';
    await until(
      'the role is revoked from all members',
      async () => (await world.query(left, [idOf(path)])).length === 1,
    );
    expect(await world.query(left, [idOf(path)])).toEqual([{ role_id: 'even', count: MEMBERS / 2 }]);
    const [row] = await world.query(
      `SELECT count(*)::int AS events, count(DISTINCT e->>'userId')::int AS members,
         count(DISTINCT t.id)::int AS jobs
       FROM token_gating.recorded_jobs t, jsonb_array_elements(t.payload->'events') AS e
       WHERE e->>'communityId' = $1 AND e->>'type' = 'role.revoked'`,
      [idOf(path)],
    );
    expect(row).toEqual({ events: MEMBERS / 2, members: MEMBERS / 2, jobs: MEMBERS / 2 / 500 });
    await until('its id is free again', async () => {
      const answer = await world.call('POST', `${path}/roles`, owner, { id: 'odd', name: 'odd' });
      return answer.status === 201;
    });
  });

  it('community of 100,000 members: is deleted at once, and its rows are purged in statements far below the statement timeout', async () => {
    const path = await largeCommunity();
    const neighbour = await world.newCommunity(ownerId, { visibility: 'public' });
    await world.expectOk('POST', `${neighbour}/members`, owner);
    await world.query(COUNT_DELETES);
    const member = world.as('user_77');
    const lists = async () =>
      ((await world.expectOk('GET', '/account/communities', member))['items'] as Json[]).map(({ id }) => id);
    expect(await lists()).toContain(idOf(path));

    const lock = await RowLock.acquire(world.databaseUrl, ALL_MEMBERS, [idOf(path)]);
    try {
      await world.expectOk('DELETE', path, owner);
      expect(codeOf(await world.get(path, owner))).toBe('community_not_found');
      expect(codeOf(await world.call('DELETE', `${path}/members/me`, member))).toBe('community_not_found');
      expect(await lists()).not.toContain(idOf(path));
      expect(await world.eventsOf(path)).toMatchObject([{ type: 'community.deleted' }]);
      await lock.waitUntilBlocking();
    } finally {
      await lock.release();
    }

    await until('all rows are purged', async () => {
      const left = await Promise.all(
        COMMUNITY_TABLES.map((table) =>
          world.query(`SELECT FROM token_gating.${table} WHERE community_id = $1 LIMIT 1`, [idOf(path)]),
        ),
      );
      return left.flat().length === 0;
    });
    const most =
      'SELECT name, max(rows)::int AS most, sum(rows)::int AS all FROM token_gating.deletes GROUP BY name ORDER BY name';
    expect(await world.query(most)).toEqual([
      { name: 'community_members', most: 5_000, all: MEMBERS },
      { name: 'role_assignments', most: 5_000, all: MEMBERS },
    ]);
    expect(await world.get(neighbour, owner)).toMatchObject({ body: { stats: { memberCount: 1 } } });
  });
});
