import { linkSync, renameSync, rmSync } from 'node:fs';
import { codeOf } from './error-facts.mjs';
import { readJsonIfThere, writePrivate } from './private-file.mjs';
import { isAlive, startOf } from './process-identity.mjs';

/**
 * What a run writes down about itself. A pid alone would mistake a later process with the same number for the run,
 * so the start time of the process stands beside it.
 * @typedef {object} RunRecord
 * @property {number} pid
 * @property {string} start
 * @property {string} since ISO time
 * @property {string} [gatewayUrl]
 * @property {string} [databaseUrl]
 * @property {import('../suite/run-guide.mjs').RunAddresses} [addresses] once everything is up
 * @property {boolean} [hasDemo] likewise
 * @property {{ name: string, pid: number, start: string }[]} children
 */

/**
 * @typedef {object} RunLock
 * @property {undefined} [other]
 * @property {RunRecord | undefined} leftover what a run that was killed wrote
 * @property {(part: Partial<RunRecord>) => void} update
 * @property {() => void} release
 */

/** @param {string} file @returns {RunRecord | undefined} the run that is going on */
export function currentRun(file) {
  /** @type {RunRecord | undefined} */
  const record = readJsonIfThere(file);
  return record !== undefined && isAlive(record) ? record : undefined;
}

/**
 * Takes the lock for this process.
 * @param {string} file
 * @returns {{ other: RunRecord } | RunLock} `other` when a run is going on
 */
export function takeRunLock(file) {
  /** @type {RunRecord} */
  let record = {
    pid: process.pid,
    start: startOf(process.pid) ?? '',
    since: new Date().toISOString(),
    children: [],
  };
  const mine = `${file}.mine.${process.pid}`;
  writePrivate(mine, JSON.stringify(record));
  /** @type {RunRecord | undefined} */
  let leftover;
  try {
    while (!tryLink(mine, file)) {
      const other = currentRun(file);
      if (other !== undefined) return { other };
      leftover = takeAway(file) ?? leftover;
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return {
    leftover,
    update(part) {
      record = { ...record, ...part };
      writePrivate(file, JSON.stringify(record, undefined, 2));
    },
    release() {
      rmSync(file, { force: true });
    },
  };
}

/**
 * A link appears with its whole content, or not at all when the name is taken.
 * @param {string} from
 * @param {string} to
 */
function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead run. Of two starts that do so at once, the second may catch the first one's new lock: it puts it back.
 * @param {string} file
 */
function takeAway(file) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  /** @type {RunRecord | undefined} */
  const record = readJsonIfThere(aside);
  if (record !== undefined && isAlive(record)) tryLink(aside, file);
  rmSync(aside);
  return record;
}
