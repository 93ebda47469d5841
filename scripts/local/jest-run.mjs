import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonIfThere } from './private-file.mjs';

/**
 * Runs jest and counts.
 * @param {{ children: ReturnType<import('./children.mjs').createChildren>, root: string, local: string, args: string[], env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ success: boolean, passed: number, failed: number, skipped: number }>}
 */
export async function runJest({ children, root, local, args, env }) {
  const results = join(local, `test-results.${process.pid}.json`);
  try {
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const success = await children.runShown(
      'jest',
      process.execPath,
      [jest, '--json', `--outputFile=${results}`, ...args],
      {
        ...env,
        NODE_OPTIONS: [env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
          .filter(Boolean)
          .join(' '),
      },
    );
    return { success, ...count(readJsonIfThere(results)) };
  } finally {
    rmSync(results, { force: true });
  }
}

/** A file that cannot even be loaded holds no test that fails: it counts as one itself. */
function count(results) {
  return {
    passed: results?.numPassedTests ?? 0,
    failed: (results?.numFailedTests ?? 0) + (results?.numRuntimeErrorTestSuites ?? 0),
    skipped: (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0),
  };
}
