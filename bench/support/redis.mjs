import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isFree } from '../../scripts/processes/ports.mjs';
import { findProgram } from '../../scripts/tests/test-programs.mjs';

/** @import { Children } from '../../scripts/processes/children.mjs' */

/** A Redis for one run; undefined where none is installed. @param {Children} children */
export async function startRedis(children) {
  const command = findProgram('redis-server');
  if (command === undefined) return undefined;
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
  ];
  children.startGuarded('redis', { command, args });
  while (await isFree(port)) await sleep(50);
  return `redis://127.0.0.1:${port}`;
}
