import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Idle connections write down within this time what they counted. */
const UNTIL_COUNTED_MS = 2_000;
const TICKS_PER_SECOND = 100;

/**
 * What PostgreSQL has done so far. Linux only.
 * @param {import('pg').Pool} sql
 * @returns {Promise<{ transactions: number, rowsCpuMs: number }>} `transactions` of all apps; the CPU of the connections that
 *   token-gating has for its rows
 */
export async function postgresWork(sql) {
  /** @type {{ rows: { pid: number }[] }} */
  const connections = await sql.query(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'token-gating'",
  );
  const rowsCpuMs = connections.rows.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
  await sleep(UNTIL_COUNTED_MS);
  /** @type {{ rows: { transactions: number }[] }} */
  const { rows } = await sql.query('SELECT sum(xact_commit)::float8 AS transactions FROM pg_stat_database');
  return { transactions: rows[0]?.transactions ?? NaN, rowsCpuMs };
}

/** @param {number} pid */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}
