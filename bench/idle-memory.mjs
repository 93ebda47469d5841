import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deploymentV8Flags, nodeArguments } from '../scripts/processes/app-processes.mjs';
import { freePort } from '../scripts/processes/ports.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { fixed, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

/** V8 returns the memory of a process that has been idle for eight seconds, in several collections. */
const IDLE_MS = 60_000;

/**
 * Memory of idle apps beside an empty Nest app with the same flags of V8. Linux only.
 * @param {Children} children
 */
export async function idleMemory(children) {
  const { started } = await startGatehouse(children);
  const emptyApp = fileURLToPath(new URL('support/empty-app.mjs', import.meta.url));
  const empty = children.startApp('empty-app', [...nodeArguments, ...deploymentV8Flags, emptyApp], {
    NODE_ENV: 'production',
    PORT: String(await freePort()),
  });
  await once(empty.process, 'message');
  await sleep(IDLE_MS);
  const reference = proportionalMiB(empty.process.pid);
  return table(
    'Memory of idle apps (proportional set size), MiB (wanted: at most 1.5)',
    ['app', 'MiB', 'ratio'],
    [
      ['an empty Nest app', fixed(reference, 0), fixed(1)],
      ...started.map(({ name, child }) => {
        const own = proportionalMiB(child.process.pid);
        return [name, fixed(own, 0), fixed(own / reference)];
      }),
    ],
  );
}

/**
 * The memory of a process, where a page that several processes share counts with its share.
 * @param {number | undefined} pid
 */
function proportionalMiB(pid) {
  const [, kibibytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}
