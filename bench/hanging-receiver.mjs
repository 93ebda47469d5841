import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startAsked } from './support/asks.mjs';
import { makeDue, newCallback } from './support/due-callbacks.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { first, fixed, median, percentile, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Ask } from './support/asks.mjs' */
/** @import { Pool } from 'pg' */
/** @typedef {{ p50: number, p99: number }} Delays */
/** @typedef {{ name: string, hang: number[], queued: number, rounds: Delays[] }} Side */
/** @typedef {{ sql: Pool, receivers: Ask, other: number, rest: number[] }} Where */

const RECEIVERS = 500;
const QUEUED_FOR_IT = 200;
const ROUNDS = 3;
const SECONDS = 8;
const PER_SECOND = 150;
const EVERY_MS = 100;
const LONGEST_ATTEMPT_MS = 10_500;

/**
 * What waits for 499 receivers while the 500th accepts connections and never answers, beside a round in which it does.
 * @param {Children} children
 */
export async function hangingReceiver(children) {
  const receivers = await startAsked(children, 'receivers-process.mjs');
  /** @type {number[]} */
  const ports = await receivers('open', RECEIVERS);
  const gatehouse = await startGatehouse(children, { CALLBACK_POLL_MS: '10' });
  const rows = await delaysOf({ databaseUrl: gatehouse.databaseUrl, receivers, ports });
  await gatehouse.stop();
  return table(
    `Due to arrival at ${RECEIVERS - 1} receivers, ${PER_SECOND} callbacks/s, one receiver more, median of ${ROUNDS} rounds (wanted: ratio about 1)`,
    ['the other receiver', 'p50 ms', 'p99 ms', 'p50 ratio', 'p99 ratio'],
    rows,
  );
}

/** @param {{ databaseUrl: string, receivers: Ask, ports: number[] }} options */
async function delaysOf({ databaseUrl, receivers, ports }) {
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  sql.on('error', () => undefined); // the run is ending, and says why
  const [other = 0, ...rest] = ports;
  const where = { sql, receivers, other, rest };
  /** @type {Side[]} */
  const sides = [
    { name: 'answers, nothing queued', hang: [], queued: 0, rounds: [] },
    { name: 'hangs, nothing queued', hang: [other], queued: 0, rounds: [] },
    { name: `hangs, ${QUEUED_FOR_IT} queued`, hang: [other], queued: QUEUED_FOR_IT, rounds: [] },
  ];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { hang, queued, rounds } of sides) {
      await receivers('hang', hang);
      const delays = await oneRound(where, { queued, isHanging: hang.length > 0 });
      if (round > 0) rounds.push({ p50: median(delays), p99: percentile(delays, 0.99) });
    }
  }
  await sql.end();
  /** @param {Side} side @param {keyof Delays} key */
  const of = ({ rounds }, key) => median(rounds.map((round) => round[key]));
  const calm = first(sides);
  return sides.map((side) => [
    side.name,
    fixed(of(side, 'p50'), 1),
    fixed(of(side, 'p99'), 1),
    fixed(of(side, 'p50') / of(calm, 'p50')),
    fixed(of(side, 'p99') / of(calm, 'p99')),
  ]);
}

/**
 * Runs a round at a steady pace.
 * @param {Where} where
 * @param {{ queued: number, isHanging: boolean }} round
 * @returns {Promise<number[]>} milliseconds of each callback to a receiver that answers
 */
async function oneRound({ sql, receivers, other, rest }, { queued, isHanging }) {
  /** @param {number} port */
  const at = (port) => newCallback(`http://127.0.0.1:${port}/hook`);
  await receivers('forget');
  await makeDue(
    sql,
    Array.from({ length: queued }, () => at(other)),
  );
  const perStep = (PER_SECOND * EVERY_MS) / 1_000;
  const steps = (SECONDS * 1_000) / EVERY_MS;
  /** @type {ReturnType<typeof newCallback>[]} */
  const due = [];
  let answered = 0;
  const started = performance.now();
  for (let step = 0; step < steps; step += 1) {
    const callbacks = Array.from({ length: perStep }, (_, index) =>
      at(rest[(step * perStep + index) % rest.length] ?? other),
    );
    // The other receiver gets its share as well.
    const share = step % Math.round(RECEIVERS / perStep) === 0 ? [at(other)] : [];
    due.push(...callbacks);
    answered += callbacks.length + (isHanging ? 0 : share.length);
    await makeDue(sql, [...share, ...callbacks]);
    await sleep(Math.max(0, started + (step + 1) * EVERY_MS - performance.now()));
  }
  /** @type {[string, number][]} */
  const arrived = await receivers('arrived', answered);
  const arrivals = new Map(arrived);
  const dueAt = await dueTimes(
    sql,
    due.map(({ deliveryId }) => deliveryId),
  );
  await giveUp(sql);
  return [...dueAt].map(([id, time]) => (arrivals.get(id) ?? NaN) - time);
}

/**
 * @param {Pool} sql
 * @param {string[]} ids
 * @returns {Promise<Map<string, number>>} Unix milliseconds by delivery
 */
async function dueTimes(sql, ids) {
  /** @type {{ rows: { id: string, due: number }[] }} */
  const { rows } = await sql.query(
    `SELECT id, extract(epoch FROM created_at)::float8 * 1000 AS due FROM token_gating.deliveries WHERE id = ANY($1)`,
    [ids],
  );
  return new Map(rows.map(({ id, due }) => [id, due]));
}

/** Gives up waiting callbacks, so that the next round begins with nothing to do. @param {Pool} sql */
async function giveUp(sql) {
  await sql.query("UPDATE token_gating.deliveries SET state = 'failed' WHERE state = 'pending'");
  await sleep(LONGEST_ATTEMPT_MS);
}
