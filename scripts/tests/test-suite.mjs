import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withImage } from '../images/image-under-test.mjs';
import { checkBareMachine } from './bare-machine.mjs';
import { messageOf } from '../processes/error-facts.mjs';
import { prepareBuild, prepareDependencies } from '../suite/bring-up.mjs';
import { startClientCommandServer } from './client-command-server.mjs';
import { argsForOneFile, collectTests, isUnitRun, runEndToEndTests, runUnitTests } from './jest-run.mjs';
import { createProgress } from '../processes/progress.mjs';
import { withPreviousRelease } from './previous-release.mjs';
import { root } from '../build/project.mjs';
import { runFailedAgain } from './second-run.mjs';
import { hidePrograms } from './test-programs.mjs';
import { filesOf, recordDurations, summarize, sumResults } from './test-results.mjs';
import { startThrowAwayPostgres } from '../postgres/throw-away-postgres.mjs';
import { testOptions } from './test-options.mjs';
import { prepareTools } from './test-tools.mjs';
import { runTool } from '../processes/tool.mjs';

/** @import { JestRun } from './jest-run.mjs' */
/** @import { EndToEndRun, TestOptions } from './test-options.mjs' */
/** @typedef {{ children: Children, progress: Progress, env: NodeJS.ProcessEnv }} About what every run works with */
/** @typedef {EndToEndRun & { env?: NodeJS.ProcessEnv, isQuiet?: boolean }} Run */
/** @typedef {{ path: string, args: string[], env: NodeJS.ProcessEnv }} OneFile */

/** @import { Children } from '../processes/children.mjs' */
/** @import { Progress } from '../processes/progress.mjs' */

/**
 * Runs all tests, or those that the arguments choose (test-options.mjs).
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export function testSuite(args, env = process.env) {
  return runTool(async (children) => {
    const options = testOptions(args);
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-without-'));
    try {
      // The environment is also that of what this process itself looks for.
      if (options.hidden.length > 0) Object.assign(env, hidePrograms(options.hidden, folder, env));
      const about = { children, progress: createProgress(process.stderr), env };
      await prepareDependencies(about);
      if (options.secondRunOf === undefined && !options.isCollection) await prepareTools(about, options);
      return await act(options, about);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** @param {TestOptions} options @param {About} about */
async function act(options, about) {
  if (options.isCollection) return collect(about);
  if (options.isBareCheck) return checkBare(about);
  const runs = options.secondRunOf ? readResults(options.secondRunOf) : await runTests(options, about);
  if (options.recordsDurations) recordDurations(runs);
  if (options.resultsFile !== undefined) writeFileSync(options.resultsFile, JSON.stringify(runs));
  const runsAgain = options.runsAgain || options.secondRunOf !== undefined;
  /** @param {JestRun} run @param {string} path */
  const runAlone = (run, path) => runOneAgain(run, path, about);
  const last = runsAgain ? await runFailedAgain(runs, runAlone) : { runs, lines: [] };
  const { lines, success } = summarize(sumResults(last.runs), { env: about.env, hidden: options.hidden });
  print(...last.lines, ...lines);
  return success ? 0 : 1;
}

/** @param {TestOptions} options @param {About} about */
async function runTests(options, about) {
  const { children, env } = about;
  const { isInspected, jestArgs: args } = options;
  /** @type {JestRun[]} */
  const runs = [];
  if (options.hasUnit) runs.push(await runUnitTests({ children, args, env, isInspected }));
  /** @param {NodeJS.ProcessEnv} [more] */
  const runEndToEnd = async (more = {}) => {
    const testEnv = { ...env, ...more };
    runs.push(...(await endToEnd({ ...about, runs: options.endToEndRuns, env: testEnv, isInspected })));
  };
  if (options.hasUpgrade) await withPreviousRelease(about, runEndToEnd);
  else if (options.hasImages) await withImage(about, env, runEndToEnd);
  else if (options.hasEndToEnd) await runEndToEnd();
  return runs;
}

/** @param {About & { runs: Run[], isInspected?: boolean }} about @returns {Promise<JestRun[]>} */
async function endToEnd({ children, progress, runs, env, isInspected }) {
  await prepareBuild({ children, progress });
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  try {
    const given = env.TEST_DATABASE_URL ?? '';
    const TEST_DATABASE_URL =
      given === '' ? await progress.step('PostgreSQL', () => startThrowAwayPostgres(children, root)) : given;
    const TEST_CLIENT_COMMANDS = await startClientCommandServer(children, root, folder);
    const testEnv = { ...env, TEST_DATABASE_URL, TEST_CLIENT_COMMANDS, TEST_RUN_FOLDER: folder };
    const results = [];
    for (const { env: more, ...run } of runs)
      results.push(await runEndToEndTests({ children, ...run, env: { ...testEnv, ...more }, isInspected }));
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs one file of a run again as that run did, but alone.
 * @param {JestRun} run
 * @param {string} path
 * @param {About} about
 * @returns {Promise<JestRun>}
 */
async function runOneAgain(run, path, about) {
  print(`\nOnce more, alone: ${path}`);
  const one = { args: argsForOneFile(path), isShortLived: run.isShortLived };
  if (isUnitRun(run)) return runUnitTests({ ...about, ...one });
  const [again] = await endToEnd({ ...about, runs: [one] });
  return again ?? { success: false };
}

/** @param {string[]} files @returns {JestRun[]} */
function readResults(files) {
  return files.flatMap((file) => {
    try {
      const runs = /** @type {JestRun[]} */ (JSON.parse(readFileSync(file, 'utf8')));
      if (runs.some(({ results }) => (results?.numTotalTests ?? 0) > 0)) return runs;
      print(`${file} holds no test: its options choose none.`);
      return [...runs, { success: false }];
    } catch (error) {
      print(`${file}: ${messageOf(error)}. These tests did not get to their end.`);
      return [{ success: false }];
    }
  });
}

/**
 * Says how many tests there are of each kind.
 * @param {About} options
 */
async function collect({ children, progress, env }) {
  const run = await progress.step('Loading all test files', () => collectTests({ children, env }));
  const files = filesOf(run);
  /** @param {{ skipped: number }[]} some */
  const count = (some) => some.reduce((total, { skipped }) => total + skipped, 0);
  /** @param {{ path: string }} file */
  const kindOf = ({ path }) => /(\w+)-spec\.ts$/.exec(path)?.[1] ?? 'unit';
  for (const kind of new Set(files.map(kindOf)))
    print(`${kind}: ${count(files.filter((file) => kindOf(file) === kind))} tests`);
  for (const { path, failed } of files) if (failed > 0) print(`${path} cannot be loaded`);
  print(`All: ${count(files)} tests in ${files.length} files, none of which was run`);
  return run.success ? 0 : 1;
}

/** @param {About} about */
async function checkBare(about) {
  const problems = await checkBareMachine(about, (files) => runEachAlone(files, about));
  print(
    ...(problems.length > 0
      ? problems
      : ['The suite passes without each program, and counts the same tests.']),
  );
  return problems.length === 0 ? 0 : 1;
}

/** @param {OneFile[]} files @param {About} about */
async function runEachAlone(files, about) {
  /** @param {{ path: string }} file */
  const isUnit = ({ path }) => path.endsWith('.spec.ts');
  /** @param {OneFile} file */
  const run = ({ args, env }) => ({ args, env, isQuiet: true });
  const endToEndRuns = await endToEnd({ ...about, runs: files.filter((file) => !isUnit(file)).map(run) });
  const runs = [];
  for (const file of files) {
    const unit = { children: about.children, ...run(file), env: { ...about.env, ...file.env } };
    runs.push(isUnit(file) ? await runUnitTests(unit) : (endToEndRuns.shift() ?? { success: false }));
  }
  return runs;
}

/** @param {string[]} lines */
const print = (...lines) => {
  for (const line of lines) process.stdout.write(`${line}\n`);
};
