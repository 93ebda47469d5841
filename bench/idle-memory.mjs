import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { freePort } from '../scripts/processes/ports.mjs';
import { root } from '../scripts/build/project.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { packagesOf } from './support/packages-of.mjs';
import { fixed, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */

const IDLE_MS = 10_000;

/**
 * Resident memory of an idle app, beside an empty Nest app that loads the same packages. Linux only.
 * @param {Children} children
 */
export async function idleMemory(children) {
  const { started } = await startGatehouse(children);
  const emptyApp = fileURLToPath(new URL('support/empty-app.mjs', import.meta.url));
  /** @type {{ name: string, pid: number | undefined, emptyPid: number | undefined }[]} */
  const pairs = [];
  for (const { name, child } of started) {
    const empty = children.startApp(`empty-${name}`, ['--enable-source-maps', emptyApp], {
      NODE_ENV: 'production',
      PORT: String(await freePort()),
      PACKAGES: JSON.stringify(packagesOf(join(root, 'dist/apps', name, 'src/main.js'))),
    });
    await once(empty.process, 'message');
    pairs.push({ name, pid: child.process.pid, emptyPid: empty.process.pid });
  }
  await sleep(IDLE_MS);
  return table(
    'Resident memory of an idle app, MiB (wanted: at most 1.3)',
    ['app', 'idle', 'empty Nest app, same packages', 'ratio'],
    pairs.map(({ name, pid, emptyPid }) => {
      const [own, empty] = [residentMiB(pid), residentMiB(emptyPid)];
      return [name, fixed(own, 0), fixed(empty, 0), fixed(own / empty)];
    }),
  );
}

/** @param {number | undefined} pid */
function residentMiB(pid) {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}
