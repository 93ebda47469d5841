import { statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const NEEDED = 4 * 2 ** 30;

/**
 * The folder of the databases of tests: in memory, if it has room for all of them. Each is a copy of hundreds of files,
 * which takes 15 ms of a processor there, and 40 to 400 ms on a disk that others use.
 * @returns {string}
 */
export function throwAwayFolder() {
  const hasRoom = freemem() >= 2 * NEEDED && freeBytes(MEMORY) >= NEEDED;
  return hasRoom ? MEMORY : tmpdir();
}

/** @param {string} folder */
function freeBytes(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0; // Linux has it
  }
}
