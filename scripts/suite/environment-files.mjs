import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../processes/private-file.mjs';

/**
 * Writes what each app of a run gets as its environment to `.local/env/<app>.env`, for `node --env-file` and `nest start --env-file`:
 * one app can then be started by hand beside the others. What the shell of this run has set is left out, because the shell of that app
 * has it, too, or means another value.
 * @param {{ local: string, apps: import('./apps.mjs').App[], environmentOf: (app: import('./apps.mjs').App) => NodeJS.ProcessEnv }} options
 */
export function writeEnvironmentFiles({ local, apps, environmentOf }) {
  const folder = join(local, 'env');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const app of apps) {
    const own = Object.entries(environmentOf(app)).filter(([name, value]) => process.env[name] !== value);
    const lines = own.map(([name, value]) => `${name}=${quote(name, value ?? '')}\n`);
    writePrivate(join(folder, `${app.name}.env`), lines.join(''));
  }
}

/** Node reads what stands between two of these as it is. */
const QUOTES = ["'", '`'];

/** @param {string} name @param {string} value */
function quote(name, value) {
  const mark = QUOTES.find((one) => !value.includes(one));
  if (mark === undefined) throw new Error(`${name} holds both kinds of quotes: a file cannot say that.`);
  return `${mark}${value}${mark}`;
}
