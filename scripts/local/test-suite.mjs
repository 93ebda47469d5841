import { prepare } from './bring-up.mjs';
import { chosenTests } from './chosen-tests.mjs';
import { runJest } from './jest-run.mjs';
import { createProgress } from './progress.mjs';
import { local, root } from './project.mjs';
import { startThrowAwayPostgres } from './throw-away-postgres.mjs';
import { runTool } from './tool.mjs';

/**
 * Runs all tests, or those that `--faults`, `--no-faults` and jest's own arguments choose.
 * @returns {Promise<number>} the exit code
 */
export function testSuite(args, env = process.env) {
  return runTool(async (children) => {
    const progress = createProgress(process.stderr);
    await prepare({ children, progress });
    const databaseUrl =
      env.TEST_DATABASE_URL ||
      (await progress.step('PostgreSQL', () => startThrowAwayPostgres(children, root)));
    const jestEnv = { ...env, TEST_DATABASE_URL: databaseUrl };
    const { success, passed, failed, skipped } = await runJest({
      children,
      root,
      local,
      args: chosenTests(args),
      env: jestEnv,
    });
    const skippedInCi = Boolean(env.CI) && skipped > 0;
    if (skippedInCi) process.stdout.write('With CI set a skipped test is a failure.\n');
    process.stdout.write(`Tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    return success && failed === 0 && !skippedInCi ? 0 : 1;
  });
}
