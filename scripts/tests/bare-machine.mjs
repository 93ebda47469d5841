import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argsForOneFile, collectTests } from './jest-run.mjs';
import { findProgram, hidePrograms, PROGRAMS } from './test-programs.mjs';
import { compareCollections, filesOf, sumResults } from './test-results.mjs';

/** @import { Children } from '../processes/children.mjs' */
/** @import { JestRun } from './jest-run.mjs' */
/** @import { Progress } from '../processes/progress.mjs' */
/** @import { ProgramName } from './test-programs.mjs' */
/** @import { FileResult } from './test-results.mjs' */
/** @typedef {(files: { path: string, args: string[], env: NodeJS.ProcessEnv }[]) => Promise<JestRun[]>} RunFiles */
/** @typedef {{ name: ProgramName, path: string, count: number, env: NodeJS.ProcessEnv }} ChosenFile */

/**
 * Checks that the suite passes where a program is not installed: hides each program once, loads all test files, and runs the
 * smallest file that needs the program. Finds files that do not load, tests that are no longer counted, and tests that fail.
 * @param {{ children: Children, progress: Progress, env: NodeJS.ProcessEnv }} about
 * @param {RunFiles} runFiles
 * @returns {Promise<string[]>} what is wrong
 */
export async function checkBareMachine({ children, progress, env }, runFiles) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bare-'));
  /** @param {string} title @param {NodeJS.ProcessEnv} [more] */
  const collect = (title, more) =>
    progress.step(title, () => collectTests({ children, env: { ...env, ...more } }));
  try {
    const all = await collect('Loading all test files');
    const problems = compareCollections(all, all, 'with every program');
    /** @type {ChosenFile[]} */
    const chosen = [];
    for (const name of /** @type {ProgramName[]} */ (Object.keys(PROGRAMS))) {
      const hidden = hidePrograms([name], join(folder, name), env);
      // Hiding a program changes nothing where it is not installed.
      const run =
        findProgram(name) === undefined
          ? all
          : await collect(`Loading all test files without ${name}`, hidden);
      problems.push(...compareCollections(all, run, `without ${name}`));
      const smallest = findSmallest(filesOf(run), name);
      if (smallest === undefined)
        problems.push(`No test needs ${name}: take it out of scripts/tests/test-programs.mjs.`);
      else chosen.push({ name, ...smallest, env: hidden });
    }
    return [...problems, ...(await runTwice(chosen, progress, runFiles))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs files, and those of them that fail once more, as second-run.mjs does with all others. Says what they failed of.
 * @param {ChosenFile[]} files
 * @param {Pick<Progress, 'say'>} progress
 * @param {RunFiles} runFiles
 * @returns {Promise<string[]>} what is wrong on the second run, too
 */
export async function runTwice(files, progress, runFiles) {
  /** @param {ChosenFile[]} some */
  const check = async (some) => {
    for (const { name, path } of some) progress.say(`  ${path} without ${name}`);
    const runs = await runFiles(some.map((file) => ({ ...file, args: argsForOneFile(file.path) })));
    return some.flatMap((file, at) => {
      const problems = checkRun(file, runs[at] ?? { success: false });
      return problems.length > 0 ? [{ file, problems }] : [];
    });
  };
  const first = await check(files);
  if (first.length === 0) return [];
  progress.say(['Once more:', ...first.flatMap(({ problems }) => problems)].join('\n'));
  const second = await check(first.map(({ file }) => file));
  if (second.length < first.length) progress.say('Find out why the others failed in the first run.');
  return second.flatMap(({ problems }) => problems);
}

/**
 * The file with the fewest tests among those in which most tests need the program.
 * @param {FileResult[]} files
 * @param {string} name
 */
function findSmallest(files, name) {
  const needing = files
    .filter(({ needs }) => needs.has(name))
    .map((file) => ({
      path: file.path,
      count: file.skipped,
      others: file.skipped - (file.needs.get(name) ?? 0),
    }));
  return needing.sort((a, b) => a.others - b.others || a.count - b.count)[0];
}

/** @param {ChosenFile} options @param {JestRun} run */
function checkRun({ name, path, count }, run) {
  const { success, passed, failed, skipped, needs } = sumResults([run]);
  if (success && passed + skipped === count && needs.has(name)) return [];
  return [
    `${path} without ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped of ${count} tests.`,
    // A message begins with the title of its test.
    ...filesOf(run).flatMap(({ failures, messages }) => (messages.length > 0 ? messages : failures)),
  ];
}
