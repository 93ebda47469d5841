import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keptPrivate, readIfThere } from '../processes/private-file.mjs';
import { commandOf, signal, startOf, waitUntilGone } from '../processes/process-identity.mjs';

/** @import { GuardOrder } from '../processes/guarded.mjs' */
/** @import { PostgresPlace } from './postgres-place.mjs' */
/** @typedef {(command: string, args: string[], order: Partial<GuardOrder>) => Promise<unknown>} Run runs a program to its end */

const FAST_SHUTDOWN_MS = 20_000;

/**
 * The data folder of a place, made on first use, and the password of its superuser.
 * @param {PostgresPlace} place
 * @param {Run} run
 * @param {string[]} [initFlags]
 * @returns {Promise<{ data: string, password: string }>}
 */
export async function prepareCluster(place, run, initFlags = []) {
  const data = join(place.home, 'data');
  // The password stands beside the data, so that the two come and go together.
  const passwordFile = join(place.home, 'password');
  const password = keptPrivate(passwordFile, () => randomBytes(24).toString('base64url')).trim();
  if (place.user) chownSync(passwordFile, place.user.uid, place.user.gid);
  if (!existsSync(data)) await initialize(place, data, passwordFile, run, initFlags);
  checkVersion(data, place.version);
  await endLeftover(data);
  return { data, password };
}

/**
 * @param {PostgresPlace} place
 * @param {string} data
 * @param {string} passwordFile
 * @param {Run} run
 * @param {string[]} initFlags
 */
async function initialize(place, data, passwordFile, run, initFlags) {
  for (const name of readdirSync(place.home).filter((name) => name.startsWith('data.')))
    rmSync(join(place.home, name), { recursive: true }); // a first start that was interrupted
  const unfinished = `${data}.${process.pid}`;
  await run(
    join(place.server, 'bin/initdb'),
    [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The locale of the server itself, so that text sorts alike whatever the operating system has installed.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...initFlags,
    ],
    { cwd: place.home, uid: place.user?.uid, gid: place.user?.gid },
  );
  renameSync(unfinished, data);
}

/** @param {string} data @param {string} version */
function checkVersion(data, version) {
  const has = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  const needs = version.split('.')[0];
  if (has === needs) return;
  throw new Error(
    `The data in ${data} belongs to PostgreSQL ${has}, installed is ${needs}. Dump it with version ${has} and ` +
      `restore it, or remove that folder to begin with an empty database.`,
  );
}

/**
 * What a killed run left: its server is ended. A lock file that nobody holds is PostgreSQL's own to see through.
 * @param {string} data
 */
async function endLeftover(data) {
  const lock = join(data, 'postmaster.pid');
  const pid = Number(readIfThere(lock)?.split('\n')[0]);
  if (!(pid > 0)) return;
  const start = startOf(pid);
  if (start !== undefined && commandOf(pid).includes(data)) {
    signal(pid, 'SIGINT');
    const left = await waitUntilGone([{ pid, start }], FAST_SHUTDOWN_MS);
    if (left.length > 0)
      throw new Error(`A PostgreSQL of an earlier run (process ${pid}) does not end. End it by hand.`);
  }
}
