import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../processes/error-facts.mjs';
import { local, root } from './project.mjs';
import { takeRunLock } from '../processes/run-lock.mjs';

/**
 * Tools on demand: what one test, check or benchmark uses is no part of `npm ci`. `scripts/tools/<name>` holds its package.json and
 * its lock file, and `npm ci` installs it into `.local/tools` when it is wanted for the first time.
 */
const MANIFESTS = join(root, 'scripts/tools');
const FILES = ['package.json', 'package-lock.json'];
const POLL_MS = 200;
/** Two retries within 4 s: by default npm tries for more than a minute to reach a registry that is not there. */
const FEW_RETRIES = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=3000'];

/** @typedef {Pick<import('../processes/children.mjs').Children, 'run'>} Installer */
/** @typedef {{ manifests: string, installed: string }} Places where the manifests are, and where tools are installed */
const PLACES = { manifests: MANIFESTS, installed: join(local, 'tools') };

/** Examples with packages, which tests run: they are installed as tools are, from their own lock files. */
export const EXAMPLES = ['express', 'nextjs'];
const PLACES_OF_EXAMPLES = { manifests: join(root, 'examples'), installed: join(local, 'examples') };

/** @param {string} name @returns {Places} */
const placesOf = (name) => (EXAMPLES.includes(name) ? PLACES_OF_EXAMPLES : PLACES);

/** @returns {string[]} the names of all tools */
export const listTools = () => readdirSync(MANIFESTS).sort();

/** How a tool is fetched by hand, as messages name it. @param {string} name */
export const fetchCommand = (name) => `npm run tools -- ${name}`;

/**
 * @param {string} name
 * @param {Places} [places]
 * @returns {string | undefined} the folder that holds the tool's `node_modules`; undefined if this version of it is not installed
 */
export function findTool(name, places = placesOf(name)) {
  const folder = folderOf(name, places);
  return existsSync(folder) ? folder : undefined;
}

/** @param {string} name @returns {string} as `findTool` @throws Error that says how to fetch it */
export function requireTool(name) {
  const folder = findTool(name);
  if (folder === undefined) throw new Error(`${name} is not installed. Fetch it: ${fetchCommand(name)}`);
  return folder;
}

/**
 * Imports a package of a tool.
 * @template [T=unknown]
 * @param {string} tool
 * @param {string} [packageName]
 * @returns {Promise<T>}
 */
export function importFromTool(tool, packageName = tool) {
  const resolve = createRequire(join(requireTool(tool), 'package.json')).resolve;
  return import(pathToFileURL(resolve(packageName)).href);
}

/**
 * Installs a tool, unless it is there. A tool appears with all of its packages or not at all: npm works in another folder, which gets its
 * name in the end. One process installs a tool at a time, and others wait for it.
 * @param {Installer} children
 * @param {string} name
 * @param {Places} [places]
 * @returns {Promise<string>} its folder
 */
export async function installTool(children, name, places = placesOf(name)) {
  mkdirSync(places.installed, { recursive: true });
  const lockFile = join(places.installed, `${name}.lock`);
  for (;;) {
    const found = findTool(name, places);
    if (found !== undefined) return found;
    const lock = takeRunLock(lockFile);
    if (lock.other === undefined) {
      try {
        return findTool(name, places) ?? (await install(children, name, places));
      } finally {
        lock.release();
      }
    }
    await sleep(POLL_MS);
  }
}

/** @param {Installer} children @param {string} name @param {Places} places */
async function install(children, name, places) {
  const folder = folderOf(name, places);
  // What was killed, and earlier versions.
  for (const entry of readdirSync(places.installed))
    if (isOf(entry, name)) rmSync(join(places.installed, entry), { recursive: true, force: true });
  const unfinished = `${folder}.unfinished`;
  mkdirSync(unfinished);
  for (const file of FILES) cpSync(join(places.manifests, name, file), join(unfinished, file));
  // npm compares every package with the integrity in the lock file. No install script of a package runs.
  const args = ['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund', ...FEW_RETRIES];
  try {
    await children.run(`npm-install-${name}`, 'npm', args, { order: { cwd: unfinished } });
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    const retry = `When the npm registry can be reached: ${fetchCommand(name)}`;
    throw new Error(`${name} could not be fetched. ${retry}\n${messageOf(error)}`, { cause: error });
  }
  renameSync(unfinished, folder);
  return folder;
}

/**
 * The version of a tool is the hash of its lock file, so that a changed one is another folder.
 * @param {string} name
 * @param {Places} options
 */
function folderOf(name, { manifests, installed }) {
  const hash = createHash('sha256');
  for (const file of FILES) hash.update(readFileSync(join(manifests, name, file)));
  return join(installed, `${name}-${hash.digest('hex').slice(0, 12)}`);
}

/** @param {string} entry of the folder of installed tools @param {string} name */
const isOf = (entry, name) =>
  entry.startsWith(`${name}-`) && /^[0-9a-f]{12}(\.|$)/.test(entry.slice(name.length + 1));

/**
 * Runs a program's own work with tools that it fetches first, and says in one line that it does.
 * @param {Installer} children
 * @param {string[]} names
 * @param {(line: string) => void} [say]
 */
export async function installTools(children, names, say = (line) => process.stderr.write(`${line}\n`)) {
  for (const name of names) {
    if (findTool(name) === undefined) say(`Fetching ${name} …`);
    await installTool(children, name);
  }
}
