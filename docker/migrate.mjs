// Entry point of the image gatehouse/migrate: runs the migrations of the named apps, or of all, one after the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @import { ChildProcess } from 'node:child_process' */

/** @param {string} app */
const fileOf = (app) => join(import.meta.dirname, app, 'migrate.js');
const known = readdirSync(import.meta.dirname)
  .filter((name) => existsSync(fileOf(name)))
  .sort();
const named = process.argv.slice(2);
const unknown = named.filter((name) => !known.includes(name));

/** @type {ChildProcess | undefined} */
let child;
const ending = new AbortController();
// A process with id 1 has no default actions for signals. A migration that is cut off is rolled back.
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT']))
  process.on(signal, () => {
    ending.abort();
    child?.kill(signal);
  });

/** @param {string} app */
async function run(app) {
  child = spawn(process.execPath, [fileOf(app)], { stdio: 'inherit' });
  const [code] = /** @type {[number | null]} */ (await once(child, 'exit'));
  return code ?? 1;
}

if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')}: no migrations; there are those of ${known.join(', ')}\n`);
  process.exitCode = 64;
} else {
  for (const app of named.length > 0 ? named : known) {
    process.exitCode = ending.signal.aborted ? 1 : await run(app);
    if (process.exitCode !== 0) break;
  }
}
