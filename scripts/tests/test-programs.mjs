import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { runsKubectl } from '../kubernetes/unpack-kubectl.mjs';
import { EXAMPLES, fetchCommand, findTool } from '../build/tools.mjs';

/**
 * @typedef {object} Program
 * @property {() => string | undefined} find where it is installed; undefined if it is not
 * @property {string} remedy how to get it
 * @property {string} [package] the Debian package that `.ci/run` installs
 * @property {string[]} [commands] its names on the PATH, which `--without` takes off the PATH
 */

const isX64Linux = process.platform === 'linux' && process.arch === 'x64';

/** @param {string} name @param {Pick<Program, 'find' | 'commands'>} about @returns {Program} */
const fromDebian = (name, about) => ({ remedy: `Debian: apt install ${name}`, package: name, ...about });

const CHROMIUM = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const REDIS = ['redis-server', 'valkey-server'];
const IMAGE_TOOLS = ['buildah', 'debootstrap', 'unshare'];

/** @typedef {'redis-server' | 'chromium' | 'libfaketime' | 'tmpfs' | 'curl' | 'kubectl' | 'openapi-clients' | 'example-packages' | 'flask' | 'buildah' | 'previous-release'} ProgramName */

/**
 * What some tests need and `npm ci` does not bring: the one table for the tests (test/support/needs.ts), for the last
 * lines of `npm test`, for `--without`, and for `.ci/run`. README says what is skipped without each.
 * @type {Record<ProgramName, Program>}
 */
export const PROGRAMS = {
  'redis-server': fromDebian('redis-server', { find: () => findOnPath(REDIS), commands: REDIS }),
  chromium: fromDebian('chromium-headless-shell', { find: findChromium, commands: CHROMIUM }),
  libfaketime: fromDebian('libfaketime', { find: findFaketime }),
  curl: fromDebian('curl', { find: () => findOnPath(['curl']), commands: ['curl'] }),
  kubectl: {
    find: () => (runsKubectl ? findTool('kubectl') : undefined),
    remedy: `on x86-64 Linux: ${fetchCommand('kubectl')}`,
  },
  'openapi-clients': {
    find: () => findTool('openapi-clients'),
    remedy: fetchCommand('openapi-clients'),
  },
  'example-packages': {
    find: findExamplePackages,
    remedy: fetchCommand(EXAMPLES.join(' ')),
  },
  flask: {
    find: findFlask,
    remedy: 'python3 -m pip install -r examples/python/requirements.txt',
    commands: ['python3'],
  },
  buildah: {
    find: findImageTools,
    remedy: 'as root on x86-64 Linux; Debian: apt install buildah debootstrap',
    commands: ['buildah'],
  },
  tmpfs: {
    find: findTmpfs,
    remedy: 'on Linux as root, where mounts are permitted (CAP_SYS_ADMIN)',
    commands: ['mount'],
  },
  'previous-release': {
    find: () => process.env.TEST_PREVIOUS_RELEASE,
    remedy: 'git fetch --unshallow: the commit in test/upgrade/previous-release is not here',
  },
};

/** Names what `--without` hides, for this process and all that it starts. */
const HIDDEN_VARIABLE = 'TEST_WITHOUT';

/** @returns {string[]} */
const hiddenPrograms = (env = process.env) => (env[HIDDEN_VARIABLE] ?? '').split(',').filter(Boolean);

/** @param {ProgramName} name @returns {string | undefined} where it is; undefined if it is not installed or is hidden */
export function findProgram(name) {
  return hiddenPrograms().includes(name) ? undefined : PROGRAMS[name].find();
}

/** @returns {string[]} the Debian packages without which tests are skipped */
export const missingPackages = () =>
  Object.values(PROGRAMS).flatMap((program) =>
    program.package !== undefined && program.find() === undefined ? [program.package] : [],
  );

/**
 * Hides programs from whatever runs with the returned variables: findProgram does not find them, and neither does a shell,
 * because its PATH is one folder of links to every other program.
 * @param {ProgramName[]} names
 * @param {string} folder a new one, which lives as long as the variables are used
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv} the variables that hide them
 */
export function hidePrograms(names, folder, env = process.env) {
  const commands = names.flatMap((name) => PROGRAMS[name].commands ?? []);
  const links = join(folder, 'path-without-hidden-programs');
  mkdirSync(links, { recursive: true });
  const linked = new Set(commands);
  for (const from of pathFolders(env).filter((place) => existsSync(place)))
    for (const command of readdirSync(from).filter((one) => !linked.has(one))) {
      symlinkSync(join(from, command), join(links, command));
      linked.add(command);
    }
  return { PATH: links, [HIDDEN_VARIABLE]: names.join(',') };
}

const pathFolders = (env = process.env) => (env.PATH ?? '').split(delimiter).filter(Boolean);

/** @param {string[]} commands */
const findOnPath = (commands) =>
  firstOf(commands.flatMap((name) => pathFolders().map((at) => join(at, name))));

/** @param {string[]} places */
const firstOf = (places) => places.find((place) => existsSync(place));

/** The folder of one of them: whoever needs it, needs all. */
function findExamplePackages() {
  const folders = EXAMPLES.flatMap((name) => findTool(name) ?? []);
  return folders.length === EXAMPLES.length ? dirname(folders[0] ?? '') : undefined;
}

/** @type {{ python?: string | undefined } | undefined} */
let triedFlask;

/** A Python with the packages of the quick start, of whatever version: what a machine brings is not fetched again. */
function findFlask() {
  triedFlask ??= { python: tryFlask() };
  return triedFlask.python;
}

function tryFlask() {
  const python = findOnPath(['python3']);
  if (python === undefined) return undefined;
  const args = ['-c', 'import flask, requests'];
  return spawnSync(python, args, { stdio: 'ignore', timeout: 20_000 }).status === 0 ? python : undefined;
}

/** chromium-headless-shell comes first: it takes a third of the processor time. */
function findChromium() {
  if (process.env.CHROMIUM_PATH) return firstOf([process.env.CHROMIUM_PATH]);
  return (
    findOnPath(CHROMIUM) ??
    firstOf([
      ...CHROMIUM.map((name) => `/usr/bin/${name}`),
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ])
  );
}

function findFaketime() {
  if (process.platform !== 'linux') return undefined;
  return firstOf(readdirSync('/usr/lib').map((at) => join('/usr/lib', at, 'faketime/libfaketime.so.1')));
}

/** Images are built without an engine as root only. */
function findImageTools() {
  const isRoot = isX64Linux && process.getuid?.() === 0;
  return isRoot && IMAGE_TOOLS.every((tool) => findOnPath([tool])) ? findOnPath(['buildah']) : undefined;
}

/** @type {{ mount?: string | undefined } | undefined} */
let triedTmpfs;

/** Containers refuse mounts to root, too, so that only a mount tells. */
function findTmpfs() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  triedTmpfs ??= { mount: tryTmpfs() };
  return triedTmpfs.mount;
}

function tryTmpfs() {
  const mount = findOnPath(['mount']);
  if (mount === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tmpfs-'));
  const options = ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder];
  const isMounted = spawnSync(mount, options, { stdio: 'ignore', timeout: 5_000 }).status === 0;
  if (isMounted) spawnSync('umount', [folder], { stdio: 'ignore', timeout: 5_000 });
  rmdirSync(folder);
  return isMounted ? mount : undefined;
}
