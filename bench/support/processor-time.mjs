import { readdirSync, readFileSync } from 'node:fs';

/** @typedef {{ pid: number, parent: number, startedAt: number, ms: number }} Process */

const TICKS_PER_SECOND = 100;

/**
 * Processor time that processes have used, with that of the processes which they started. Linux only.
 * @param {number[]} pids
 * @returns {number} milliseconds
 */
export function processorMs(pids) {
  const all = listProcesses();
  const wanted = new Set(pids);
  // A process starts after its parent, whose id may be larger only when ids start again.
  for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid);
  return all.reduce((sum, { pid, ms }) => (wanted.has(pid) ? sum + ms : sum), 0);
}

function listProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)))
    .sort((one, other) => one.startedAt - other.startedAt);
}

/** @param {number} pid @returns {Process[]} */
function readProcess(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return []; // it has ended
  }
  // The name before may hold spaces. proc(5) counts fields from 1, and these begin with the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, user = 0, system = 0, startedAt = 0] = [1, 11, 12, 19].map((index) =>
    Number(fields[index]),
  );
  return [{ pid, parent, startedAt, ms: ((user + system) * 1_000) / TICKS_PER_SECOND }];
}
