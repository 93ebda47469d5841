import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonIfThere } from '../processes/private-file.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, peer?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockEntry */
/** @typedef {{ packages: Record<string, LockEntry> }} LockFile */

/**
 * Compares what package-lock.json asks for with what npm noted when it installed. Needs no package itself.
 * @param {string} root
 * @returns {string | undefined} why an installation is needed
 */
export function whyInstall(root) {
  /** @type {LockFile | undefined} */
  const wanted = readJsonIfThere(join(root, 'package-lock.json'));
  if (wanted === undefined) throw new Error('package-lock.json is missing: this is not a whole clone.');
  /** @type {LockFile | undefined} */
  const installed = readJsonIfThere(join(root, 'node_modules/.package-lock.json'));
  if (installed === undefined) return 'nothing is installed yet';
  for (const [path, entry] of Object.entries(wanted.packages)) {
    if (path === '') continue;
    const there = installed.packages[path];
    if (there === undefined && isNeeded(entry)) return `${path} is missing`;
    if (there !== undefined && (there.version !== entry.version || there.integrity !== entry.integrity))
      return `${path} has another version`;
  }
  const extra = Object.keys(installed.packages).find((path) => !(path in wanted.packages));
  return extra === undefined ? undefined : `${extra} is no longer wanted`;
}

/**
 * What is optional may be left out, and so may binaries of another platform. Binaries of this one are needed: builds and tests use them.
 * @param {LockEntry} options
 */
function isNeeded({ optional, devOptional, peer, os, cpu, libc }) {
  if (!fits(os, process.platform) || !fits(cpu, process.arch) || !fits(libc, LIBC)) return false;
  return (!optional || (os !== undefined && cpu !== undefined)) && !devOptional && !peer;
}

/** @param {string[] | undefined} names @param {string} own */
const fits = (names, own) => names === undefined || names.includes(own);

/** The C library of this Node, by the name that packages give it. */
const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
const LIBC = header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';

/**
 * Installs what the lock file says, development tools included.
 * @param {import('../processes/children.mjs').Children} children
 * @param {string} root
 */
export function install(children, root) {
  const modules = join(root, 'node_modules');
  // npm would empty what the link leads to, for everybody who uses it.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      `${modules} is a link, and what it leads to does not fit package-lock.json. Install there, or remove the link.`,
    );
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  return children.run('npm-install', 'npm', args, { order: { cwd: root } });
}
