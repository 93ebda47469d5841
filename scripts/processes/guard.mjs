/**
 * Stands between the start script and a program that knows nothing of it. It holds the IPC channel, and when the
 * channel closes, however its parent ended (`kill -9` included), it ends the program. So nothing is left behind.
 *
 * The one argument is JSON: see `GuardOrder` in guarded.mjs.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { signal, waitUntilGone } from './process-identity.mjs';

/** @import { Identity } from './process-identity.mjs' */

const order = /** @type {import('./guarded.mjs').GuardOrder} */ (JSON.parse(process.argv[2] ?? ''));

/** @type {Identity[]} processes that still use the program, such as apps that drain while their database must go on */
let users = [];
let stopping = false;
const hurry = new AbortController();

const program = spawn(order.command, order.args, {
  cwd: order.cwd,
  uid: order.uid,
  gid: order.gid,
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
});
const pid = program.pid ?? NaN;
const target = order.group ? -pid : pid;
program.once('error', (error) => {
  process.stderr.write(`cannot run ${order.command}: ${error.message}\n`);
  finish(127);
});
program.once('exit', (code, name) => finish(code ?? (name === null ? 1 : 128 + constants.signals[name])));

// A closed terminal or a Ctrl-C is the parent's business; SIGTERM from the parent means: be quick.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
process.on('SIGTERM', () => {
  hurry.abort();
  void stop();
});
process.on('message', (message) => {
  ({ users } = /** @type {{ users: Identity[] }} */ (message));
});
process.on('disconnect', () => void stop());
if (program.pid !== undefined) process.send?.({ pid: program.pid }, () => undefined);
// The parent may have gone before anybody listened.
if (!process.connected) void stop();

async function stop() {
  if (stopping || program.pid === undefined) return;
  stopping = true;
  for (const left of await waitUntilGone(users, 20_000, hurry.signal)) signal(left.pid, 'SIGKILL');
  if (!hurry.signal.aborted && order.stop) {
    signal(target, order.stop.signal);
    await waitOrHurry(order.stop.wait);
  }
  if (order.hurry) {
    signal(target, order.hurry.signal);
    await sleep(order.hurry.wait);
  }
  signal(target, 'SIGKILL');
}

/** @param {number} milliseconds @returns {Promise<void>} */
function waitOrHurry(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    hurry.signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

/** @param {number} code @returns {never} */
function finish(code) {
  if (order.group && program.pid !== undefined) signal(target, 'SIGKILL');
  for (const folder of order.removeAfter ?? []) rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
