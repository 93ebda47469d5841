import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { floorOf, slopeOf, watchMemory } from './support/app-memory.mjs';
import { callbackInbox } from './support/callback-inbox.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { httpClient } from './support/http-client.mjs';
import { leftovers } from './support/leftovers.mjs';
import { startRedis } from './support/redis.mjs';
import { fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Sample } from './support/app-memory.mjs' */
/** @import { Gatehouse } from './support/gatehouse.mjs' */
/** @typedef {'oneRule' | keyof typeof MIX} Kind */
/** @typedef {Partial<Record<Kind, number>>} Done pieces of work by kind */

const CLIENTS = 16;
/** Often enough to meet the heap soon after a collection. */
const SAMPLE_MS = 2_000;
const FLOOR_MINUTES = 0.5;
const WARM_MINUTES = 1;
const POLL_MS = 20;
/** The mix of a hundred pieces of work. */
const MIX = { polled: 10, calledBack: 10, tenRules: 20 };

/**
 * All kinds of checks for minutes, from clients that ask again as soon as they have their answer: what does it do to the
 * apps' memory, and what is left in the database?
 * @param {Children} children
 * @param {{ minutes: number, redis: boolean }} options `redis`: queues and counters live there
 */
export async function longLoad(children, { minutes, redis }) {
  if (!(minutes >= 3)) throw new Error('load takes at least 3 minutes: the first is for warming up');
  const redisUrl = redis ? await startRedis(children) : undefined;
  if (redis && !redisUrl) throw new Error('There is no redis-server here');
  const gatehouse = await startGatehouse(children, redisUrl ? { REDIS_URL: redisUrl } : {});
  const memory = watchMemory(gatehouse.started, SAMPLE_MS);
  const perMinute = await loadFor(minutes, gatehouse);
  const samples = await memory.end();
  return [
    memoryTable(gatehouse.started, samples, minutes),
    speedTable(perMinute),
    table(
      'Left behind, with the retention of a deployment',
      ['', 'rows or keys'],
      await leftovers(gatehouse.databaseUrl, redisUrl),
    ),
  ].join('\n\n');
}

/**
 * @param {number} minutes
 * @param {Gatehouse} options
 * @returns {Promise<Done[]>} pieces of work by kind, for each whole minute
 */
async function loadFor(minutes, { gatewayUrl, apiKey, tokens, accounts }) {
  const client = httpClient({ gatewayUrl, apiKey, connections: CLIENTS });
  const inbox = await callbackInbox();
  const works = worksOf({ client, inbox, tokens, holder: accounts.holder.address });
  /** @type {Done[]} */
  const perMinute = Array.from({ length: minutes }, () => ({}));
  const started = performance.now();
  const minute = () => (performance.now() - started) / 60_000;
  const caller = async () => {
    while (minute() < minutes) {
      const kind = pick();
      await works[kind]();
      const done = perMinute[Math.floor(minute())];
      if (done) done[kind] = (done[kind] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, caller));
  inbox.stop();
  await client.close();
  return perMinute;
}

/**
 * @param {{ client: ReturnType<typeof httpClient>, inbox: Awaited<ReturnType<typeof callbackInbox>>, tokens: Gatehouse['tokens'], holder: string }} options
 * @returns {Record<Kind, () => Promise<unknown>>}
 */
function worksOf({ client, inbox, tokens, holder }) {
  const fresh = () => `0x${randomBytes(20).toString('hex')}`;
  const erc20 = { type: 'ERC20', chainId: 31337, contractAddress: tokens.erc20 };
  /** @param {number} count */
  const rules = (count) =>
    Array.from({ length: count }, (_, index) => ({
      ...erc20,
      minToken: String(index + 1),
      roleId: String(index),
    }));
  return {
    oneRule: () => client.check({ account: fresh(), rules: rules(1) }),
    tenRules: () => client.check({ account: fresh(), rules: rules(10) }),
    async polled() {
      const { requestId } = await client.check({ account: holder, rules: rules(2), async: true });
      while (!(await client.poll(requestId))) await sleep(POLL_MS);
    },
    async calledBack() {
      const { requestId } = await client.check({ account: holder, rules: rules(2), callbackUrl: inbox.url });
      await inbox.received(requestId);
    },
  };
}

const KINDS = /** @type {(keyof typeof MIX)[]} */ (Object.keys(MIX));

/** @returns {Kind} */
function pick() {
  let left = Math.random() * 100;
  for (const kind of KINDS) {
    left -= MIX[kind];
    if (left < 0) return kind;
  }
  return 'oneRule';
}

/** @param {Gatehouse['started']} apps @param {Sample[]} samples @param {number} minutes */
function memoryTable(apps, samples, minutes) {
  const rows = apps.map(({ name }) => {
    const own = samples.filter((sample) => sample.name === name);
    /** @param {number} from @param {'rss' | 'heap'} key */
    const during = (from, key) =>
      median(own.filter(({ minute }) => minute >= from && minute < from + 1).map((sample) => sample[key]));
    const steady = own.filter(({ minute }) => minute >= WARM_MINUTES);
    /** @param {'rss' | 'heap'} key @returns {[number, number]} */
    const pair = (key) => [during(WARM_MINUTES, key), during(minutes - 1, key)];
    const rss = pair('rss');
    const heap = pair('heap');
    return [
      name,
      ...rss.map((value) => fixed(value, 0)),
      fixed(rss[1] / rss[0]),
      ...heap.map((value) => fixed(value, 1)),
      fixed(heap[1] / heap[0]),
      fixed(slopeOf(floorOf(steady, 'heap', FLOOR_MINUTES))),
    ];
  });
  return table(
    `Memory over ${minutes} minutes of load, MiB, medians of the second and of the last minute (wanted: no growth)`,
    ['app', 'RSS', 'at the end', 'growth', 'heap', 'at the end', 'growth', 'heap floor, MiB/min'],
    rows,
  );
}

/** @param {Done[]} perMinute */
function speedTable(perMinute) {
  /** @type {Kind[]} */
  const kinds = ['oneRule', ...KINDS.toReversed()];
  /** @param {string} name @param {Done} done */
  const row = (name, done) => {
    const rates = kinds.map((kind) => (done[kind] ?? 0) / 60);
    return [name, ...rates, rates.reduce((sum, rate) => sum + rate, 0)].map((cell) =>
      typeof cell === 'number' ? fixed(cell, 0) : cell,
    );
  };
  return table(
    `Checks/s, ${CLIENTS} clients`,
    ['minute', '1 rule', '10 rules', 'called back', 'polled', 'all'],
    [row('second', perMinute[1] ?? {}), row('last', perMinute.at(-1) ?? {})],
  );
}
