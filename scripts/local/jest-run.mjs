import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { shortLivedV8Flags } from './app-processes.mjs';
import { readJsonIfThere } from './private-file.mjs';
import { local, root } from './project.mjs';

/** Not Node's own default, which an app in `npm run dev` has. */
const INSPECTOR = '127.0.0.1:9240';

/**
 * @typedef {object} JestOptions
 * @property {ReturnType<import('./children.mjs').createChildren>} children
 * @property {string[]} args of jest
 * @property {NodeJS.ProcessEnv} env
 * @property {boolean} [isShortLived] see EndToEndRun in test-options.mjs
 * @property {boolean} [isInspected] wait for a debugger before the tests
 * @typedef {object} JestRun
 * @property {boolean} success
 * @property {object} [results] what jest's `--json` writes, if it got that far
 */

/** Runs tests that start nothing. @param {JestOptions} options @returns {Promise<JestRun>} */
export const runUnitTests = (options) =>
  runJest({ ...options, config: 'jest.unit.config.js', isShortLived: true });

/** Runs tests against the built apps. @param {JestOptions} options @returns {Promise<JestRun>} */
export const runEndToEndTests = (options) => runJest({ ...options, config: 'jest.config.js' });

async function runJest({ children, config, args, env, isShortLived = false, isInspected = false }) {
  const v8Flags = isShortLived ? shortLivedV8Flags : [];
  const inspect = isInspected ? [`--inspect-brk=${INSPECTOR}`] : [];
  const file = join(local, `test-results.${process.pid}.json`);
  const register = pathToFileURL(join(root, 'test/support/runner/register.mjs')).href;
  // Node itself loads the TypeScript of the tests.
  const nodeOptions = [
    '--disable-warning=ExperimentalWarning',
    '--enable-source-maps',
    `--import=${register}`,
  ];
  const NODE_OPTIONS = [env.NODE_OPTIONS, ...nodeOptions].filter(Boolean).join(' ');
  // A path or a name may choose tests of one kind only.
  const fixed = ['--config', join(root, config), '--passWithNoTests', '--json', `--outputFile=${file}`];
  try {
    const success = await children.runShown(
      'jest',
      process.execPath,
      // Workers inherit Node's own flags.
      [...v8Flags, ...inspect, join(root, 'node_modules/jest/bin/jest.js'), ...fixed, ...args],
      { ...env, NODE_OPTIONS, ...(isShortLived && { TEST_V8_FLAGS: v8Flags.join(' ') }) },
    );
    return { success, results: readJsonIfThere(file) };
  } finally {
    rmSync(file, { force: true });
  }
}
