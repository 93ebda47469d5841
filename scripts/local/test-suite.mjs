import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withImage } from '../images/image-under-test.mjs';
import { prepareBuild, prepareDependencies } from './bring-up.mjs';
import { startClientCommandServer } from './client-command-server.mjs';
import { runEndToEndTests, runUnitTests } from './jest-run.mjs';
import { createProgress } from './progress.mjs';
import { withPreviousRelease } from './previous-release.mjs';
import { root } from './project.mjs';
import { describeNotRun, recordDurations, sumResults } from './test-results.mjs';
import { startThrowAwayPostgres } from './throw-away-postgres.mjs';
import { testOptions } from './test-options.mjs';
import { prepareTools } from './test-tools.mjs';
import { runTool } from './tool.mjs';

/**
 * Runs all tests, or those that the arguments choose (test-options.mjs).
 * @returns {Promise<number>} the exit code
 */
export function testSuite(args, env = process.env) {
  const options = testOptions(args);
  return runTool(async (children) => {
    const progress = createProgress(process.stderr);
    const runs = [];
    await prepareDependencies({ children, progress });
    await prepareTools({ children, progress }, options);
    const { isInspected, jestArgs: args } = options;
    if (options.hasUnit) runs.push(await runUnitTests({ children, args, env, isInspected }));
    const runEndToEnd = async (more = {}) => {
      const testEnv = { ...env, ...more };
      const about = { children, progress, env: testEnv, isInspected };
      runs.push(...(await endToEnd({ ...about, runs: options.endToEndRuns })));
    };
    if (options.hasUpgrade) await withPreviousRelease({ children, progress }, runEndToEnd);
    else if (options.hasImages) await withImage({ children, progress }, env, runEndToEnd);
    else if (options.hasEndToEnd) await runEndToEnd();
    if (options.recordsDurations) recordDurations(runs);
    return report(sumResults(runs), env);
  });
}

async function endToEnd({ children, progress, runs, env, isInspected }) {
  await prepareBuild({ children, progress });
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  try {
    const TEST_DATABASE_URL =
      env.TEST_DATABASE_URL ||
      (await progress.step('PostgreSQL', () => startThrowAwayPostgres(children, root)));
    const TEST_CLIENT_COMMANDS = await startClientCommandServer(children, root, folder);
    const testEnv = { ...env, TEST_DATABASE_URL, TEST_CLIENT_COMMANDS, TEST_RUN_FOLDER: folder };
    const results = [];
    for (const run of runs)
      results.push(await runEndToEndTests({ children, ...run, env: testEnv, isInspected }));
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report({ success, passed, failed, skipped, notRun }, env) {
  for (const line of describeNotRun(notRun)) process.stdout.write(`${line}\n`);
  const skippedInCi = Boolean(env.CI) && skipped > 0;
  if (skippedInCi) process.stdout.write('With CI set a skipped test is a failure.\n');
  process.stdout.write(`Tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  return success && failed === 0 && !skippedInCi ? 0 : 1;
}
