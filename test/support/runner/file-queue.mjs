import { readFileSync } from 'node:fs';
import { secondsOf } from '../longest-first.mjs';

/** @import { TestFile } from '../longest-first.mjs' */

/** The first world that a test file leases, as its source names it: `await OAuthWorld.lease()`. */
const LEASE = /\bawait (?:\w+\.)?lease\w*\((?:[^()]|\([^()]*\))*\)/;
/** The rest of a group that is worth the start of a second world, when a worker has nothing else to do. */
const MIN_SHARED_SECONDS = 20;

/** @param {TestFile[]} files */
const total = (files) => files.reduce((sum, test) => sum + secondsOf(test), 0);

/**
 * Hands out test files to workers. Files that lease one world go to one worker, one after another, so that it is started
 * once; what takes longest together comes first.
 */
export class FileQueue {
  /** @type {TestFile[][]} */
  taken = [];

  /**
   * @param {readonly TestFile[]} tests in the order of the sequencer
   * @param {(test: TestFile) => string | undefined} [worldOf] for tests of its own
   */
  constructor(tests, worldOf = readWorld) {
    /** @type {Map<string, TestFile[]>} */
    const groups = new Map();
    for (const test of tests) {
      const key = worldOf(test) ?? test.path;
      groups.set(key, [...(groups.get(key) ?? []), test]);
    }
    const withTotals = [...groups.values()].map((files) => ({ files, seconds: total(files) }));
    // `|| 0` because new files take infinitely long.
    this.groups = withTotals.sort((a, b) => b.seconds - a.seconds || 0).map(({ files }) => files);
  }

  /**
   * @param {TestFile[]} [last] the group of the worker's last file
   * @returns {{ test: TestFile, group: TestFile[] } | undefined}
   */
  take(last = []) {
    const group = last.length > 0 ? last : (this.nextGroup() ?? this.longestRest());
    const test = group?.shift();
    return group && test && { test, group };
  }

  nextGroup() {
    const group = this.groups.shift();
    if (group !== undefined) this.taken.push(group);
    return group;
  }

  longestRest() {
    const [rest] = this.taken
      .map((files) => ({ files, seconds: total(files) }))
      .filter(({ files, seconds }) => files.length > 1 && seconds >= MIN_SHARED_SECONDS)
      .sort((a, b) => b.seconds - a.seconds || 0);
    return rest?.files;
  }
}

/** @param {TestFile} options */
function readWorld({ path }) {
  return LEASE.exec(readFileSync(path, 'utf8'))?.[0].replaceAll(/\s+/g, '');
}
