import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { shortLivedV8Flags } from '../processes/app-processes.mjs';
import { readJsonIfThere } from '../processes/private-file.mjs';
import { local, root } from '../build/project.mjs';

const UNIT_CONFIG = 'jest.unit.config.js';
/** The inspector's address is not Node's own default, which an app in `npm run dev` has. */
const INSPECTOR = '127.0.0.1:9240';

/**
 * @typedef {object} JestOptions
 * @property {import('../processes/children.mjs').Children} children
 * @property {string[]} args of jest
 * @property {NodeJS.ProcessEnv} env
 * @property {boolean} [isShortLived] see EndToEndRun in test-options.mjs
 * @property {boolean} [isInspected] wait for a debugger before the tests
 * @property {boolean} [isQuiet] what jest prints goes to a log file
 */

/**
 * @typedef {object} JestFile
 * @property {string} name
 * @property {string} status
 * @property {string} [message] all that its failed tests say; why it could not be loaded
 * @property {{ ancestorTitles: string[], title: string, status: string, duration?: number | null, failureMessages?: string[] }[]} assertionResults
 * @property {number} [startTime]
 * @property {number} [endTime]
 */

/**
 * @typedef {object} JestRun
 * @property {string} [config] none where a run left no results
 * @property {boolean} [isShortLived]
 * @property {boolean} success
 * @property {JestResults} [results] what jest's `--json` writes, if it got that far
 */

/** @typedef {{ success: boolean, testResults: JestFile[], numTotalTests?: number, snapshot?: { failure?: boolean } }} JestResults */

/** Runs tests that start nothing. @param {JestOptions} options @returns {Promise<JestRun>} */
export const runUnitTests = (options) => runJest({ ...options, config: UNIT_CONFIG, isShortLived: true });

/** Runs tests against the built apps. @param {JestOptions} options @returns {Promise<JestRun>} */
export const runEndToEndTests = (options) => runJest({ ...options, config: 'jest.config.js' });

/** Loads the test files of all kinds and counts their tests without running any. @param {Omit<JestOptions, 'args'>} options */
export const collectTests = (options) =>
  runUnitTests({
    ...options,
    isQuiet: true,
    args: ['--testMatch=**/*.spec.ts', '--testMatch=**/*-spec.ts'],
    env: { ...options.env, TEST_COLLECT: '1' },
  });

/** Whether the tests of a run start nothing. @param {JestRun} run */
export const isUnitRun = ({ config }) => config === UNIT_CONFIG;

/** The arguments that run one file alone. @param {string} path */
export const argsForOneFile = (path) => [
  '--maxWorkers=1',
  '--testMatch=**/*spec.ts',
  '--runTestsByPath',
  path,
];

/** @param {JestOptions & { config: string }} options @returns {Promise<JestRun>} */
async function runJest({
  children,
  config,
  args,
  env,
  isShortLived = false,
  isInspected = false,
  isQuiet = false,
}) {
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
    const success = await (isQuiet ? children.runLogged : children.runShown)(
      'jest',
      process.execPath,
      // Workers inherit Node's own flags.
      [...v8Flags, ...inspect, join(root, 'node_modules/jest/bin/jest.js'), ...fixed, ...args],
      { ...env, NODE_OPTIONS, ...(isShortLived && { TEST_V8_FLAGS: v8Flags.join(' ') }) },
    );
    return { config, isShortLived, success, results: readJsonIfThere(file) };
  } finally {
    rmSync(file, { force: true });
  }
}
