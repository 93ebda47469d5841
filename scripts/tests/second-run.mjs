import { relative } from 'node:path';
import { root } from '../build/project.mjs';
import { filesOf } from './test-results.mjs';

/** @import { JestRun } from './jest-run.mjs' */
/** @import { FileResult } from './test-results.mjs' */
/** @typedef {FileResult & { at: number }} FailedFile of the run at this index */

/**
 * Files that may fail and run again, of nearly 500: on two processors that others use too, three have failed that pass alone. More say
 * something about the code, whatever a second run says.
 */
export const MAX_SECOND_RUNS = 5;

/**
 * Runs each test file that failed once more, alone. A file that passes then counts as passed, and is named.
 * @param {JestRun[]} runs
 * @param {(run: JestRun, path: string) => Promise<JestRun>} runAlone runs one file with the configuration of a run
 * @returns {Promise<{ runs: JestRun[], lines: string[] }>} the runs with the results of the last run of each file, and what is to be
 *   said about it
 */
export async function runFailedAgain(runs, runAlone) {
  const failed = runs.flatMap((run, at) =>
    filesOf(run)
      .filter((file) => file.failed > 0)
      .map((file) => ({ at, run, ...file })),
  );
  if (failed.length === 0) return { runs, lines: [] };
  if (failed.length > MAX_SECOND_RUNS) {
    const lines = [`${failed.length} test files failed: more than ${MAX_SECOND_RUNS} are not run again.`];
    return { runs, lines: [...lines, ...failed.map(describeFile)] };
  }
  let last = runs;
  /** @type {{ passed: FailedFile[], failed: FailedFile[] }} */
  const groups = { passed: [], failed: [] };
  for (const file of failed) {
    const again = await runAlone(file.run, file.path);
    last = last.map((run, at) => (at === file.at ? replaceFile(run, file.path, again) : run));
    groups[isPassed(again, file.path) ? 'passed' : 'failed'].push(file);
  }
  /** @param {string} title @param {FailedFile[]} files */
  const describe = (title, files) => (files.length > 0 ? [title, ...files.map(describeFile)] : []);
  // A second run can fail without a failed test, for example when its process ends badly.
  if (groups.failed.length > 0) last = last.map((run) => ({ ...run, success: false }));
  const lines = [
    ...describe('Passed on the second run (find out why they failed in the first):', groups.passed),
    ...describe('Failed on the second run, too:', groups.failed),
  ];
  return { runs: last, lines };
}

/** @param {FileResult} options */
const describeFile = ({ path, failures }) =>
  [`  ${path}`, ...failures.map((title) => `    ${title}`)].join('\n');

/** @param {JestRun} run @param {string} path */
const isPassed = (run, path) =>
  run.success && filesOf(run).some((file) => file.path === path && file.failed === 0);

/**
 * A run whose only faults were files that have passed since is a success.
 * @param {JestRun} run
 * @param {string} path
 * @param {JestRun} again
 * @returns {JestRun}
 */
function replaceFile(run, path, again) {
  const found = (again.results?.testResults ?? []).find(({ name }) => relative(root, name) === path);
  // A second run without a result leaves the first one.
  if (found === undefined || run.results === undefined) return run;
  const testResults = run.results.testResults.map((file) =>
    relative(root, file.name) === path ? found : file,
  );
  const replaced = { ...run, results: { ...run.results, testResults } };
  const hadOnlyFailedTests = !run.results.success && run.results.snapshot?.failure !== true;
  const isClean = filesOf(replaced).every((file) => file.failed === 0);
  return { ...replaced, success: run.success || (hadOnlyFailedTests && isClean && again.success) };
}
