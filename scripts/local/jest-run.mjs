import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJsonIfThere } from './private-file.mjs';
import { local, root } from './project.mjs';

/**
 * @typedef {object} JestOptions
 * @property {ReturnType<import('./children.mjs').createChildren>} children
 * @property {string[]} args of jest
 * @property {NodeJS.ProcessEnv} env
 * @typedef {object} JestRun
 * @property {boolean} success
 * @property {object} [results] what jest's `--json` writes, if it got that far
 */

/** Runs tests that start nothing. @param {JestOptions} options @returns {Promise<JestRun>} */
export function runUnitTests(options) {
  // Node itself loads their TypeScript.
  const register = pathToFileURL(join(root, 'test/support/runner/register.mjs')).href;
  const nodeOptions = ['--enable-source-maps', `--import=${register}`];
  return runJest({ ...options, config: 'jest.unit.config.js', nodeOptions });
}

/** Runs tests against the built apps. @param {JestOptions} options @returns {Promise<JestRun>} */
export const runEndToEndTests = (options) =>
  runJest({ ...options, config: 'jest.config.js', nodeOptions: ['--experimental-vm-modules'] });

async function runJest({ children, config, nodeOptions, args, env }) {
  const file = join(local, `test-results.${process.pid}.json`);
  const NODE_OPTIONS = [env.NODE_OPTIONS, '--disable-warning=ExperimentalWarning', ...nodeOptions]
    .filter(Boolean)
    .join(' ');
  // A path or a name may choose tests of one kind only.
  const fixed = ['--config', join(root, config), '--passWithNoTests', '--json', `--outputFile=${file}`];
  try {
    const success = await children.runShown(
      'jest',
      process.execPath,
      [join(root, 'node_modules/jest/bin/jest.js'), ...fixed, ...args],
      { ...env, NODE_OPTIONS },
    );
    return { success, results: readJsonIfThere(file) };
  } finally {
    rmSync(file, { force: true });
  }
}
