import { spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * What a guard is told.
 * @typedef {object} GuardOrder
 * @property {string} command
 * @property {string[]} args
 * @property {string} [cwd]
 * @property {number} [uid] run the program as this user
 * @property {number} [gid]
 * @property {boolean} [group] the program starts others: signals go to all of them
 * @property {{ signal: NodeJS.Signals, wait: number }} [stop] the polite way, and the milliseconds it may take
 * @property {{ signal: NodeJS.Signals, wait: number }} [hurry] the next way; SIGKILL comes last
 * @property {string[]} [removeAfter] folders that go when the program has gone
 */

/**
 * Starts a program under a guard (guard.mjs). Disconnecting the returned process ends the program.
 * @param {GuardOrder} order
 * @param {{ output: number | 'inherit', env?: NodeJS.ProcessEnv | undefined }} options
 */
export function spawnGuarded(order, { output, env = process.env }) {
  return spawn(process.execPath, [join(import.meta.dirname, 'guard.mjs'), JSON.stringify(order)], {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
    env,
  });
}
