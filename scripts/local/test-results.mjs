import { existsSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readJsonIfThere } from './private-file.mjs';
import { root } from './project.mjs';
import { fetchCommand } from './tools.mjs';

/** The end of the title of tests that are left out without a program (test/support/needs.ts). */
const NEEDS = /\[needs ([\w-]+)\]/;

/** @param {import('./jest-run.mjs').JestRun[]} runs */
export function sumResults(runs) {
  const sum = (of) =>
    runs.reduce((total, { results }) => total + (results === undefined ? 0 : of(results)), 0);
  return {
    success: runs.every(({ success, results }) => success && results !== undefined),
    passed: sum(({ numPassedTests }) => numPassedTests),
    // A file that cannot even be loaded holds no test that fails: it counts as one itself.
    failed: sum(
      ({ numFailedTests, numRuntimeErrorTestSuites }) => numFailedTests + numRuntimeErrorTestSuites,
    ),
    skipped: sum(({ numPendingTests, numTodoTests }) => numPendingTests + numTodoTests),
    notRun: countNotRun(runs),
  };
}

/** @returns {Map<string, number>} how many tests were left out for want of a program */
function countNotRun(runs) {
  const counts = new Map();
  for (const { ancestorTitles, title, status } of runs.flatMap(testsOf)) {
    const fullTitle = [...ancestorTitles, title].join(' ');
    const program = status === 'pending' ? NEEDS.exec(fullTitle)?.[1] : undefined;
    if (program !== undefined) counts.set(program, (counts.get(program) ?? 0) + 1);
  }
  return counts;
}

const testsOf = ({ results }) =>
  results?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];

/** How to get what is no package of Debian. */
const REMEDIES = {
  'openapi-clients': fetchCommand('openapi-clients'),
  kubectl: `on x86-64 Linux: ${fetchCommand('kubectl')}`,
  buildah: 'as root on x86-64 Linux; Debian: apt install buildah debootstrap',
  'the-previous-release': 'git fetch --unshallow: the commit in test/upgrade/previous-release is not here',
};

/** @param {Map<string, number>} notRun @returns {string[]} a line for each program that is missing */
export function describeNotRun(notRun) {
  return [...notRun].map(([program, count]) => {
    const remedy = REMEDIES[program] ?? `Debian: apt install ${program}`;
    return `Not run: ${count} tests need ${program} (${remedy}).`;
  });
}

/** Writes how many seconds each file took, so that the longest start first. Files that did not run keep what is known of them. */
export function recordDurations(runs) {
  const target = join(root, 'test/support/durations.json');
  const files = runs.flatMap(({ results }) => results?.testResults ?? []);
  const measured = files
    .filter(({ name }) => !/\.spec\.ts$/.test(name) || /(e2e|fault)-spec/.test(name))
    .map(({ name, startTime, endTime }) => [relative(root, name), Math.round((endTime - startTime) / 1000)]);
  const known = Object.entries(readJsonIfThere(target) ?? {}).filter(([name]) =>
    existsSync(join(root, name)),
  );
  const entries = Object.entries(Object.fromEntries([...known, ...measured])).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  writeFileSync(target, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
}
