import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { copyPostgres, findPostgres } from './postgres-binaries.mjs';

/** @typedef {{ name: string, uid: number, gid: number }} SystemUser */

/**
 * @typedef {object} PostgresPlace
 * @property {string} server folder with `bin/postgres`
 * @property {string} version
 * @property {string} home folder for data and password, owned by the user that runs the server
 * @property {SystemUser} [user] set for root: PostgreSQL refuses to run as root
 */

/**
 * Decides where PostgreSQL and its data stand: in `.local/postgres`, unless root runs this in a folder that
 * PostgreSQL's user cannot enter (a clone below /root). Then both stand in /var/lib/gatehouse-<hash of the folder>.
 * @param {string} root
 * @param {string} wantedHome
 * @returns {PostgresPlace}
 */
export function placePostgres(root, wantedHome) {
  const found = findPostgres(root);
  if (process.getuid?.() !== 0) {
    mkdirSync(wantedHome, { recursive: true, mode: 0o700 });
    return { server: found.folder, version: found.version, home: wantedHome };
  }
  const user = unprivilegedUser();
  makeHome(wantedHome, user);
  const elsewhere = elsewhereFor(root);
  /** @param {string} what @param {string} folder */
  const reaches = (what, folder) => canReach(user, what, folder);
  const home = reaches('-w', wantedHome) ? wantedHome : join(elsewhere, 'postgres');
  const inPlace =
    reaches('-x', join(found.folder, 'bin/postgres')) && reaches('-r', join(found.folder, 'share'));
  if (home !== wantedHome || !inPlace) mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
  makeHome(home, user);
  return {
    server: inPlace ? found.folder : copyPostgres(found, elsewhere),
    version: found.version,
    home,
    user,
  };
}

/** @param {string} root @returns {string} the folder for what must not stand below `root` */
export function elsewhereFor(root) {
  return `/var/lib/gatehouse-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
}

/** @param {string} home @param {SystemUser} user */
function makeHome(home, user) {
  mkdirSync(home, { recursive: true });
  chownSync(home, user.uid, user.gid);
  chmodSync(home, 0o700);
}

function unprivilegedUser() {
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name);
    const gid = idOf('-g', name);
    if (uid > 0 && gid > 0) return { name, uid, gid };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody" to run it as.',
  );
}

/** @param {string} flag @param {string} name */
function idOf(flag, name) {
  try {
    return Number(
      execFileSync('id', [flag, name], {
        encoding: 'utf8',
        timeout: 5000,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
  } catch {
    return NaN; // id fails when there is no such user
  }
}

/**
 * Asks the system itself: every folder on the way, groups and access lists count.
 * @param {SystemUser} options
 * @param {string} what
 * @param {string} path
 */
function canReach({ uid, gid }, what, path) {
  return spawnSync('test', [what, path], { uid, gid, cwd: '/', timeout: 5000 }).status === 0;
}
