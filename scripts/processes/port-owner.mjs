import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { commandOf } from './process-identity.mjs';

const LISTEN = '0A';

/**
 * Finds the process that listens on a TCP port of this machine.
 * @param {number} port
 * @returns {string | undefined} undefined when the system does not tell, for example about another user's process
 */
export function portOwner(port) {
  const pid = process.platform === 'linux' ? pidFromProc(port) : pidFromLsof(port);
  return pid === undefined ? undefined : `process ${pid} (${commandOf(Number(pid)).slice(0, 120)})`;
}

/** @param {number} port */
function pidFromProc(port) {
  const sockets = new Set(
    ['tcp', 'tcp6'].flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`),
  );
  if (sockets.size === 0) return undefined;
  return list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((pid) => list(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`))));
}

/**
 * https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt
 * @param {string} table
 * @param {number} port
 */
function listeningInodes(table, port) {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return read(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === LISTEN)
    .map((fields) => fields[9]);
}

// Processes come and go while they are listed, and those of others cannot be read: both are as good as absent.
/**
 * @template T
 * @param {T} otherwise
 * @param {() => T} look
 */
const orElse = (otherwise, look) => {
  try {
    return look();
  } catch {
    return otherwise;
  }
};
/** @param {string} folder */
const list = (folder) => orElse(/** @type {string[]} */ ([]), () => readdirSync(folder));
/** @param {string} path */
const linkOf = (path) => orElse('', () => readlinkSync(path));
/** @param {string} file */
const read = (file) => orElse('', () => readFileSync(file, 'utf8'));

/** @param {number} port */
function pidFromLsof(port) {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-t'];
  const out = orElse('', () =>
    execFileSync('lsof', args, { encoding: 'utf8', timeout: 5000, stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const [pid = ''] = out.split('\n');
  return pid === '' ? undefined : pid;
}
