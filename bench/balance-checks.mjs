import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findApp } from '../scripts/suite/apps.mjs';
import { memberAddress, seedCommunity } from '../test/support/seeded-communities.mjs';
import { readCount } from './support/due-callbacks.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { readMetric } from './support/metrics.mjs';
import { first, fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Gatehouse } from './support/gatehouse.mjs' */
/** @import { Pool } from 'pg' */
/** @typedef {{ perSecond: number, callsPerChunk: number }} Checked */
/** @typedef {{ id: string, granted: number, name: string, checks: Checked[], rules: ReturnType<typeof rulesOf> }} Community */
/** @typedef {{ state: string, done: number, changed: number, failed: number, seconds: number }} CheckState */

const MEMBERS = 10_000;
const RULES = 5;
const ROUNDS = 3;
const REQUESTS = 300;
const CHAIN_ID = 31337;
/** A check is begun by the sweeper here: it must not be what is measured. */
const ENV = { SWEEP_INTERVAL_MS: '50' };

const BEGIN = `
  INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
  SELECT gen_random_uuid(), id, 'requested', rules_revision, member_count, now()
  FROM token_gating.communities WHERE id = $1 RETURNING id`;

const RESULT = `
  SELECT state, done, changed, failed, extract(epoch FROM finished_at - created_at)::float8 AS seconds
  FROM token_gating.balance_checks WHERE id = $1`;

/**
 * A check of all members of a community, beside one request for each of them, one after another.
 * @param {Children} children
 */
export async function balanceChecks(children) {
  const gatehouse = await startGatehouse(children, ENV);
  const sql = new pg.Pool({ connectionString: gatehouse.databaseUrl, max: 2 });
  const { managementPort } = findApp(gatehouse.started, 'token-gating');
  /** @type {Community[]} */
  const communities = [
    { id: 'community_one', granted: 1, name: 'first check, which grants a role to each' },
    { id: 'community_all', granted: RULES, name: `first check, which grants ${RULES} roles to each` },
  ].map((one) => ({ ...one, checks: [], rules: rulesOf(gatehouse.tokens, one.granted) }));
  for (const { id, rules } of communities) await seedCommunity(sql, { id, members: MEMBERS, rules });
  await sql.query('ANALYZE');
  const one = first(communities);
  const { rules } = one;
  await oneByOne(gatehouse, rules); // warms up

  /** @type {number[]} */
  const requests = [];
  /** @type {{ name: string, checks: Checked[] }} */
  const again = { name: 'check in which nothing changes', checks: [] };
  // Turn by turn, so that whatever else the machine does hits all.
  for (let round = 0; round < ROUNDS; round += 1) {
    requests.push(await oneByOne(gatehouse, rules));
    for (const { id, checks } of communities) {
      await sql.query('DELETE FROM token_gating.role_assignments WHERE community_id = $1', [id]);
      checks.push(await check(sql, managementPort, id));
      await untilTold(sql);
    }
    again.checks.push(await check(sql, managementPort, one.id));
  }
  await sql.end();
  await gatehouse.stop();

  const reference = median(requests);
  const rows = [again, ...communities].map(({ name, checks }) => {
    const perSecond = median(checks.map((one) => one.perSecond));
    return [
      name,
      fixed(perSecond, 0),
      fixed(median(checks.map((one) => one.callsPerChunk))),
      fixed(perSecond / reference, 1),
    ];
  });
  return table(
    `A check of ${MEMBERS} members by ${RULES} rules, median of ${ROUNDS} rounds (wanted: at most 1.3 calls, a ratio of at least 20)`,
    ['', 'members/s', 'eth_call per 500 reads', 'ratio'],
    [['one request per member, one after another', fixed(reference, 0), '', fixed(1, 1)], ...rows],
  );
}

/** The events of one check are not to slow down the next one. @param {Pool} sql */
async function untilTold(sql) {
  const left = 'SELECT count(*)::int AS count FROM token_gating.outbox';
  while ((await readCount(sql, left)) > 0) await sleep(50);
}

/**
 * Everybody satisfies so many of them, and each has to be read all the same.
 * @param {Gatehouse['tokens']} options
 * @param {number} granted
 */
function rulesOf({ erc20, erc721, erc1155 }, granted) {
  const rules = [
    { type: 'NATIVE' },
    { type: 'ERC20', contractAddress: erc20 },
    { type: 'ERC721', contractAddress: erc721 },
    { type: 'ERC1155', contractAddress: erc1155, tokenId: '1' },
    { type: 'ERC1155', contractAddress: erc1155, tokenId: '2' },
  ];
  return rules.map((rule, index) => ({
    chainId: CHAIN_ID,
    minToken: index < granted ? '0' : '1000000',
    roleId: `role_${index}`,
    ...rule,
  }));
}

/** @param {Gatehouse} options @param {ReturnType<typeof rulesOf>} rules @returns members a second */
async function oneByOne({ gatewayUrl, apiKey }, rules) {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const started = performance.now();
  for (let member = 1; member <= REQUESTS; member += 1) {
    const body = JSON.stringify({ account: memberAddress(member), rules });
    const answer = await fetch(`${gatewayUrl}/access-control/check-roles`, { method: 'POST', headers, body });
    const { roles } = /** @type {{ roles?: { granted: boolean }[] }} */ (await answer.json());
    if (!roles?.some(({ granted }) => granted)) throw new Error(`Not granted: ${answer.status}`);
  }
  return REQUESTS / ((performance.now() - started) / 1_000);
}

/**
 * @param {Pool} sql
 * @param {number} managementPort
 * @param {string} communityId
 * @returns {Promise<Checked>}
 */
async function check(sql, managementPort, communityId) {
  const countCalls = () => readMetric(managementPort, 'chain_node_calls_total');
  const before = await countCalls();
  const { rows } = /** @type {{ rows: { id: string }[] }} */ (await sql.query(BEGIN, [communityId]));
  const result = async () => {
    const found = /** @type {{ rows: CheckState[] }} */ (await sql.query(RESULT, [first(rows).id]));
    return first(found.rows);
  };
  while ((await result()).state !== 'done') await sleep(20);
  const { seconds, done, failed } = await result();
  if (done !== MEMBERS || failed > 0) throw new Error(`Only ${done} members, ${failed} failed`);
  const calls = (await countCalls()) - before;
  return { perSecond: MEMBERS / seconds, callsPerChunk: calls / ((MEMBERS * RULES) / 500) };
}
