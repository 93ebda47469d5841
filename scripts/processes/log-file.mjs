import { closeSync, fstatSync, openSync, readSync, renameSync } from 'node:fs';
import { codeOf } from './error-facts.mjs';

const TAIL_BYTES = 16 * 1024;
const LINE_LENGTH = 400;

/**
 * Opens a log of this run for appending; the log of the run before stays beside it as `<name>.1`.
 * @param {string} file
 */
export function openLog(file) {
  try {
    renameSync(file, `${file}.1`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return openSync(file, 'a', 0o600);
}

/** The last lines of a log, each cut to a readable length. @param {string} file @param {number} count */
export function lastLines(file, count) {
  const log = openSync(file, 'r');
  try {
    const { size } = fstatSync(log);
    const from = Math.max(0, size - TAIL_BYTES);
    return readLines(log, from, size).slice(-count);
  } finally {
    closeSync(log);
  }
}

/**
 * @param {number} log
 * @param {number} from
 * @param {number} to
 * @returns {string[]} the lines between two offsets of an open file
 */
export function readLines(log, from, to) {
  const bytes = Buffer.alloc(to - from);
  readSync(log, bytes, 0, bytes.length, from);
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line));
}
