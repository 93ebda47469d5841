import { existsSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readJsonIfThere } from '../processes/private-file.mjs';
import { root } from '../build/project.mjs';
import { PROGRAMS } from './test-programs.mjs';

/** @import { JestFile, JestRun } from './jest-run.mjs' */

/** The end of the title of tests that are skipped without a program (test/support/needs.ts). */
const NEEDS = /\[needs ([\w-]+)\]/;
/** A test that takes longer in itself belongs to the long tests (*.long-spec.ts). */
const MAX_TEST_MS = 60_000;

/**
 * @typedef {object} FileResult
 * @property {string} path from the root of the repository
 * @property {number} passed
 * @property {number} failed a file that cannot even be loaded holds no test that fails: it counts as one itself
 * @property {number} skipped
 * @property {string[]} failures titles of failed tests
 * @property {string[]} messages what failed tests say, with stack traces; what the file says if it could not be loaded
 * @property {Map<string, number>} needs how many of the skipped tests need which program
 * @property {string[]} long titles of the tests that took longer than a minute, with their seconds
 */

/** @param {JestRun} run @returns {FileResult[]} */
export const filesOf = ({ results }) => (results?.testResults ?? []).map(readFile);

/** @param {JestFile} options @returns {FileResult} */
function readFile({ name, status, message, assertionResults }) {
  const titled = assertionResults.map(({ ancestorTitles, title, ...test }) => ({
    title: [...ancestorTitles, title].join(' '),
    ...test,
  }));
  /** @param {string[]} statuses */
  const of = (...statuses) => titled.filter((test) => statuses.includes(test.status));
  const failures = of('failed').map(({ title }) => title);
  const messages = of('failed').flatMap(({ failureMessages }) => failureMessages ?? []);
  if (status === 'failed' && failures.length === 0) {
    failures.push('the file as a whole');
    if (message) messages.push(message);
  }
  const skipped = of('pending', 'todo', 'skipped', 'disabled');
  /** @type {Map<string, number>} */
  const needs = new Map();
  for (const { title } of skipped) {
    const program = NEEDS.exec(title)?.[1];
    if (program !== undefined) needs.set(program, (needs.get(program) ?? 0) + 1);
  }
  return {
    path: relative(root, name),
    passed: of('passed').length,
    failed: failures.length,
    skipped: skipped.length,
    failures,
    messages,
    needs,
    long: titled
      .map(({ title, duration }) => ({ title, duration: duration ?? 0 }))
      .filter(({ duration }) => duration > MAX_TEST_MS)
      .map(({ title, duration }) => `${title} (${Math.round(duration / 1000)} s)`),
  };
}

/** @param {JestRun[]} runs */
export function sumResults(runs) {
  const files = runs.flatMap(filesOf);
  /** @param {(file: FileResult) => number} of */
  const sum = (of) => files.reduce((total, file) => total + of(file), 0);
  /** @type {Map<string, number>} */
  const needs = new Map();
  for (const [program, count] of files.flatMap((file) => [...file.needs]))
    needs.set(program, (needs.get(program) ?? 0) + count);
  return {
    unfinished: runs.filter(({ results }) => results === undefined).length,
    /** Whether every run got to its end, and nothing in it failed. */
    success: runs.every(({ success, results }) => success && results !== undefined),
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    /** How many tests were skipped for want of which program. */
    needs,
    /** Tests that took longer than a minute, except for those that are known to, and for unit tests, which turn their clock forward. */
    long: files
      .filter(({ path }) => /\.(?:e2e|fault|latency)-spec\.ts$/.test(path))
      .flatMap(({ path, long }) => long.map((title) => `${path}: ${title}`)),
  };
}

/**
 * What the last lines of a run say, and whether it is a success.
 * @param {ReturnType<typeof sumResults>} sum
 * @param {{ env: NodeJS.ProcessEnv, hidden?: string[] }} about `hidden`: programs that were hidden on purpose
 */
export function summarize(
  { success, passed, failed, skipped, needs, long, unfinished },
  { env, hidden = [] },
) {
  const lines = [...needs].map(([program, count]) => {
    const remedy = hidden.includes(program) ? 'hidden by --without' : remedyFor(program);
    return `Not run: ${count} tests need ${program} (${remedy}).`;
  });
  lines.push(...long.map((test) => `Longer than a minute: ${test}.`));
  if (unfinished > 0)
    lines.push(`Runs that did not get to their end: ${unfinished}. Their tests are not counted.`);
  const expected = hidden.reduce((total, program) => total + (needs.get(program) ?? 0), 0);
  const skippedInCi = Boolean(env.CI) && skipped > expected;
  if (skippedInCi) lines.push('With CI set a skipped test is a failure.');
  lines.push(`Tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  return { lines, success: success && failed === 0 && !skippedInCi };
}

/** @param {string} program */
const remedyFor = (program) =>
  Object.entries(PROGRAMS).find(([name]) => name === program)?.[1].remedy ?? 'an unknown program';

/**
 * Compares what was counted with a program and without it.
 * @param {JestRun} all
 * @param {JestRun} other
 * @param {string} where for the sentences
 * @returns {string[]} the files that do not load, and those whose number of tests differs
 */
export function compareCollections(all, other, where) {
  if (other.results === undefined)
    return [`The test files cannot be loaded ${where}: see .local/logs/jest.log.`];
  /** @param {{ passed: number, skipped: number }} options */
  const count = ({ passed, skipped }) => passed + skipped;
  const counts = new Map(filesOf(other).map((file) => [file.path, file]));
  return filesOf(all).flatMap((file) => {
    const found = counts.get(file.path);
    if (found === undefined || found.failed > 0)
      return [`${file.path} cannot be loaded ${where}.`, ...(found?.messages ?? [])];
    if (count(found) === count(file)) return [];
    return [`${file.path} has ${count(found)} tests ${where}, and ${count(file)} with every program.`];
  });
}

/**
 * Writes how many seconds each file took, so that the longest start first. Files that did not run keep what is known of them.
 * @param {JestRun[]} runs
 */
export function recordDurations(runs) {
  const target = join(root, 'test/support/durations.json');
  const files = runs.flatMap(({ results }) => results?.testResults ?? []);
  const measured = files
    .filter(({ name }) => !name.endsWith('.spec.ts') || /(e2e|fault)-spec/.test(name))
    .map(
      ({ name, startTime = 0, endTime = 0 }) =>
        /** @type {const} */ ([relative(root, name), Math.round((endTime - startTime) / 1000)]),
    );
  /** @type {Record<string, number>} */
  const before = readJsonIfThere(target) ?? {};
  const known = Object.entries(before).filter(([name]) => existsSync(join(root, name)));
  const entries = Object.entries(Object.fromEntries([...known, ...measured])).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  writeFileSync(target, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
}
