import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findApp } from '../scripts/suite/apps.mjs';
import { startAsked } from './support/asks.mjs';
import { makeDue, newCallback, readCount, release } from './support/due-callbacks.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { readMetric } from './support/metrics.mjs';
import { postgresWork } from './support/postgres-work.mjs';
import { fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Ask } from './support/asks.mjs' */
/** @import { Gatehouse } from './support/gatehouse.mjs' */
/** @import { Pool } from 'pg' */
/** @typedef {{ perSecond: number, cpuMs: number }} SenderRound */
/** @typedef {SenderRound & { transactions: number, rowsCpuMs: number }} GatehouseRound */
/** @typedef {{ reference: SenderRound[], gatehouse: GatehouseRound[] }} Rounds */

const RECEIVERS = 50;
const CALLBACKS = 10_000;
const ROUNDS = 5;

/**
 * Callbacks that are due, sent by Gatehouse, beside undici that posts the same bodies to the same receivers.
 * @param {Children} children
 */
export async function callbackSpeed(children) {
  const receivers = await startAsked(children, 'receivers-process.mjs');
  /** @type {number[]} */
  const ports = await receivers('open', RECEIVERS);
  const urls = ports.map((port) => `http://127.0.0.1:${port}/hook`);
  const sender = await startAsked(children, 'reference-sender.mjs');
  const gatehouse = await startGatehouse(children);
  const rows = await speedOf({ gatehouse, receivers, sender, urls });
  await gatehouse.stop();
  return table(
    `${CALLBACKS} callbacks to ${RECEIVERS} receivers, median of ${ROUNDS} rounds (wanted: at least 0.5)`,
    ['sender', 'deliveries/s', 'its CPU, ms', 'PostgreSQL, ms', 'transactions', 'ratio'],
    rows,
  );
}

/** @param {{ gatehouse: Gatehouse, receivers: Ask, sender: Ask, urls: string[] }} options */
async function speedOf({ gatehouse, receivers, sender, urls }) {
  const { databaseUrl, started } = gatehouse;
  const { managementPort } = findApp(started, 'token-gating');
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  sql.on('error', () => undefined); // the run is ending, and says why
  /** @type {Rounds} */
  const rounds = { reference: [], gatehouse: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const callbacks = Array.from({ length: CALLBACKS }, (_, index) =>
      newCallback(urls[index % urls.length] ?? ''),
    );
    /** @type {{ value: number, perSecond: number }} */
    const reference = await measure(receivers, () => sender('send', callbacks));
    await makeDue(sql, callbacks, { held: true });
    const before = await workOf(sql, managementPort);
    const own = await measure(receivers, () => release(sql));
    await untilRecorded(sql);
    const after = await workOf(sql, managementPort);
    if (round === 0) continue; // warms up
    rounds.reference.push({ perSecond: reference.perSecond, cpuMs: reference.value });
    rounds.gatehouse.push({
      perSecond: own.perSecond,
      cpuMs: after.cpuMs - before.cpuMs,
      transactions: after.transactions - before.transactions,
      rowsCpuMs: after.rowsCpuMs - before.rowsCpuMs,
    });
  }
  await sql.end();
  return rowsOf(rounds);
}

/** @param {Rounds} rounds */
function rowsOf({ reference, gatehouse }) {
  /** @param {number[]} numbers @param {number} [digits] */
  const each = (numbers, digits = 2) => fixed(median(numbers) / CALLBACKS, digits);
  const perSecond = {
    reference: median(reference.map((round) => round.perSecond)),
    gatehouse: median(gatehouse.map((round) => round.perSecond)),
  };
  const ratio = perSecond.gatehouse / perSecond.reference;
  return [
    [
      'undici, unsigned',
      fixed(perSecond.reference, 0),
      each(reference.map((round) => round.cpuMs)),
      '',
      '',
      fixed(1),
    ],
    [
      'Gatehouse',
      fixed(perSecond.gatehouse, 0),
      each(gatehouse.map((round) => round.cpuMs)),
      each(gatehouse.map((round) => round.rowsCpuMs)),
      each(
        gatehouse.map((round) => round.transactions),
        1,
      ),
      fixed(ratio),
    ],
  ];
}

/** @param {Pool} sql */
async function untilRecorded(sql) {
  const left = "SELECT count(*)::int AS count FROM token_gating.deliveries WHERE state = 'pending'";
  while ((await readCount(sql, left)) > 0) await sleep(50);
}

/** @param {Pool} sql @param {number} managementPort */
async function workOf(sql, managementPort) {
  const cpuMs = (await readMetric(managementPort, 'process_cpu_seconds_total')) * 1_000;
  return { cpuMs, ...(await postgresWork(sql)) };
}

/**
 * Measures the time from the first arrival to the last.
 * @template T
 * @param {Ask} receivers
 * @param {() => Promise<T>} start
 */
async function measure(receivers, start) {
  await receivers('forget');
  /** @type {Promise<[string, number][]>} */
  const arrived = receivers('arrived', CALLBACKS);
  const value = await start();
  const times = (await arrived).map(([, at]) => at);
  return { value, perSecond: (CALLBACKS - 1) / ((Math.max(...times) - Math.min(...times)) / 1_000) };
}
