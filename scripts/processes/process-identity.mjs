import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './error-facts.mjs';

/** @typedef {{ pid: number, start: string }} Identity names one run of one process */

/**
 * Names one run of one process: pids are used again, a pid with its start time is not.
 * @param {number} pid
 * @returns {string | undefined} undefined when there is no such process, or when it is dead and only waits to be reaped
 */
export function startOf(pid) {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/** @param {number} pid */
function startFromProc(pid) {
  const stat = readStat(pid);
  return stat && `${bootId()}/${stat.start}`;
}

/**
 * Reads a process's line of statistics (proc_pid_stat(5)).
 * @param {number | string} pid
 * @returns {{ group: number, start: string } | undefined} undefined when it is gone or only waits to be reaped
 */
function readStat(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // gone: ENOENT, or ESRCH when it goes while it is read
  }
  // The name in brackets may hold spaces and brackets itself; the fields after the last one are plain.
  const [state = '', , group = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 'ZX'.includes(state) ? undefined : { group: Number(group), start: fields[16] ?? '' };
}

function bootId() {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** @param {number} pid */
function startFromPs(pid) {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5000,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [state = '', ...start] = line.split(/\s+/);
    return state.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined; // ps exits with 1 when there is no such process
  }
}

/** @param {{ pid: number, start?: string | undefined }} one */
export function isAlive({ pid, start }) {
  return start !== undefined && startOf(pid) === start;
}

/**
 * Lists the processes of a group, such as a program that leads it and what that has forked.
 * @param {number} leader
 * @returns {Identity[]}
 */
export function listGroup(leader) {
  const pids = process.platform === 'linux' ? groupFromProc(leader) : groupFromPs(leader);
  return pids.flatMap((pid) => {
    const start = startOf(pid);
    return start === undefined ? [] : [{ pid, start }];
  });
}

/** @param {number} leader */
function groupFromProc(leader) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readStat(pid)?.group === leader).map(Number);
}

/** @param {number} leader */
function groupFromPs(leader) {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,pgid='], { encoding: 'utf8', timeout: 5000 }).split(
    '\n',
  );
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, group]) => (group === leader ? [pid] : []));
}

/**
 * Waits until none of them is left.
 * @param {Identity[]} processes
 * @param {number} milliseconds
 * @param {AbortSignal} [hurry] ends the waiting early
 * @returns those still alive when the waiting is over
 */
export async function waitUntilGone(processes, milliseconds, hurry) {
  const deadline = Date.now() + milliseconds;
  let left = processes.filter(isAlive);
  while (left.length > 0 && Date.now() < deadline && !hurry?.aborted) {
    await sleep(50);
    left = left.filter(isAlive);
  }
  return left;
}

/**
 * Sends a signal; a process that has just ended needs none.
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** @param {number} pid @returns {string} the command line of a process, empty when there is none */
export function commandOf(pid) {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8', timeout: 5000 }).trim();
  } catch {
    return ''; // it is gone: ENOENT or ESRCH, and ps exits with 1
  }
}
