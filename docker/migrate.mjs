// Entry point of the image gatehouse/migrate: runs the migrations of the named apps, or of all, one after the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (app) => join(import.meta.dirname, app, 'migrate.js');
const known = readdirSync(import.meta.dirname)
  .filter((name) => existsSync(fileOf(name)))
  .sort();
const named = process.argv.slice(2);
const unknown = named.filter((name) => !known.includes(name));

let child;
let isEnding = false;
// A process with id 1 has no default actions for signals. A migration that is cut off is rolled back.
for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    isEnding = true;
    child?.kill(signal);
  });

async function run(app) {
  child = spawn(process.execPath, [fileOf(app)], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

if (unknown.length > 0) {
  process.stderr.write(`${unknown.join(', ')}: no migrations; there are those of ${known.join(', ')}\n`);
  process.exitCode = 64;
} else {
  for (const app of named.length > 0 ? named : known) {
    process.exitCode = isEnding ? 1 : await run(app);
    if (process.exitCode !== 0) break;
  }
}
