import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startAsked } from './support/asks.mjs';
import { makeDue, newCallback, release } from './support/due-callbacks.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { readMetric } from './support/metrics.mjs';
import { postgresWork } from './support/postgres-work.mjs';
import { fixed, median, table } from './support/table.mjs';

const RECEIVERS = 50;
const CALLBACKS = 10_000;
const ROUNDS = 5;

/** Callbacks that are due, sent by Gatehouse, beside undici that posts the same bodies to the same receivers. */
export async function callbackSpeed(children) {
  const receivers = await startAsked(children, 'receivers-process.mjs');
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

async function speedOf({ gatehouse, receivers, sender, urls }) {
  const { databaseUrl, started } = gatehouse;
  const { managementPort } = started.find(({ name }) => name === 'token-gating');
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  sql.on('error', () => undefined); // the run is ending, and says why
  const rounds = { reference: [], gatehouse: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const callbacks = Array.from({ length: CALLBACKS }, (_, index) => newCallback(urls[index % urls.length]));
    const reference = await measure(receivers, () => sender('send', callbacks));
    await makeDue(sql, callbacks, { held: true });
    const before = await workOf(sql, managementPort);
    const own = await measure(receivers, () => release(sql));
    await untilRecorded(sql);
    const after = await workOf(sql, managementPort);
    if (round === 0) continue; // warms up
    rounds.reference.push({ perSecond: reference.perSecond, cpuMs: reference.value });
    const spent = Object.fromEntries(Object.entries(after).map(([key, value]) => [key, value - before[key]]));
    rounds.gatehouse.push({ perSecond: own.perSecond, ...spent });
  }
  await sql.end();
  return rowsOf(rounds);
}

function rowsOf({ reference, gatehouse }) {
  const of = (rounds, key) => median(rounds.map((round) => round[key]));
  const each = (rounds, key, digits = 2) => fixed(of(rounds, key) / CALLBACKS, digits);
  const ratio = of(gatehouse, 'perSecond') / of(reference, 'perSecond');
  return [
    ['undici, unsigned', fixed(of(reference, 'perSecond'), 0), each(reference, 'cpuMs'), '', '', fixed(1)],
    [
      'Gatehouse',
      fixed(of(gatehouse, 'perSecond'), 0),
      each(gatehouse, 'cpuMs'),
      each(gatehouse, 'rowsCpuMs'),
      each(gatehouse, 'transactions', 1),
      fixed(ratio),
    ],
  ];
}

async function untilRecorded(sql) {
  const left = "SELECT count(*)::int AS count FROM token_gating.deliveries WHERE state = 'pending'";
  while ((await sql.query(left)).rows[0].count > 0) await sleep(50);
}

async function workOf(sql, managementPort) {
  const cpuMs = (await readMetric(managementPort, 'process_cpu_seconds_total')) * 1_000;
  return { cpuMs, ...(await postgresWork(sql)) };
}

/** From the first arrival to the last. */
async function measure(receivers, start) {
  await receivers('forget');
  const arrived = receivers('arrived', CALLBACKS);
  const value = await start();
  const times = (await arrived).map(([, at]) => at);
  return { value, perSecond: (CALLBACKS - 1) / ((Math.max(...times) - Math.min(...times)) / 1_000) };
}
