// What `@jest/globals` exports, for the runner without isolation, which has no such module and no time-outs of its own.
import { bind } from 'jest-each';

/** A bound against hanging: apps take long to start on a busy machine. */
/** A bound against hanging, not a measurement: one for all tests, which no test makes smaller. */
const DEFAULT_TIMEOUT_MS = 180_000;

/** @import { describe as JestDescribe, expect as JestExpect, jest as JestObject } from '@jest/globals' */
/** @typedef {() => unknown} Run */
/** @typedef {(title: string, run: Run) => void} Define */
/** @typedef {(run: Run) => void} Hook */

/**
 * What the runner defines.
 * @typedef {{
 *   expect: typeof JestExpect,
 *   describe: Define & { each: typeof JestDescribe.each, only: Define },
 *   it: Define & { only: Define, skip: Define },
 *   beforeAll: Hook, beforeEach: Hook, afterEach: Hook, afterAll: Hook,
 *   jest: typeof JestObject,
 * }} RunnerGlobals
 */

const raw = /** @type {typeof globalThis & RunnerGlobals} */ (globalThis);
export const { expect } = raw;

/**
 * Time-outs by test file: this module is loaded once for all files of a worker.
 * @type {Map<string | undefined, number>}
 */
const timeouts = new Map();
const initialEnv = { ...process.env };
/** @type {string | undefined} */
let lastPath;

/** Called for every test and hook that a file defines. */
function currentTimeout() {
  const { testPath } = expect.getState();
  if (testPath !== lastPath) restoreEnv();
  lastPath = testPath;
  return timeouts.get(testPath) ?? DEFAULT_TIMEOUT_MS;
}

/** Restores the environment, so that what one file changed is not there for the next one of its worker. */
function restoreEnv() {
  for (const name of Object.keys(process.env))
    if (!(name in initialEnv)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, initialEnv);
}

/**
 * Fails the running test or hook. Without it, Node ends the worker, and the report names neither the test nor the error.
 * @type {((error: unknown) => void) | undefined}
 */
let failRunning;
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (/** @type {unknown} */ error) => {
    const { stack } = /** @type {{ stack?: string }} */ (error ?? {});
    process.stderr.write(`${event}: ${stack ?? String(error)}\n`);
    if (failRunning === undefined) process.exit(1);
    failRunning(error);
  });
}

/** @param {Run} run @param {number} [ownTimeoutMs] */
function limited(run, ownTimeoutMs) {
  const fileTimeoutMs = currentTimeout();
  const timeoutMs = ownTimeoutMs ?? fileTimeoutMs;
  return async () => {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const failure = new Promise((_, reject) => {
      failRunning = reject;
      const error = new Error(`Timed out after ${timeoutMs} ms`);
      timer = setRealTimeout(() => {
        reject(error);
      }, timeoutMs);
    });
    try {
      await Promise.race([run(), failure]);
    } finally {
      failRunning = undefined;
      clearRealTimeout(timer);
    }
  };
}
// Tests may replace the global ones.
const { setTimeout: setRealTimeout, clearTimeout: clearRealTimeout } = globalThis;

/**
 * How many skipped describes enclose what is defined now. Everything is skipped where tests are only counted: files are
 * loaded, their tests are defined, and none of them runs (scripts/tests/bare-machine.mjs).
 */
let skippedDepth = process.env.TEST_COLLECT === '1' ? 1 : 0;

/**
 * The runner takes a block of jest's `describe.skip` for one test; here each of its tests is skipped and counted.
 * @param {string} title
 * @param {() => void} tests
 */
function describeSkipped(title, tests) {
  raw.describe(title, () => {
    skippedDepth += 1;
    try {
      tests();
    } finally {
      skippedDepth -= 1;
    }
  });
}

/** @type {Define} */
const describeAll = (title, tests) => {
  raw.describe(title, tests);
};
export const describe = Object.assign(describeAll, {
  each: raw.describe.each,
  only: raw.describe.only,
  skip: describeSkipped,
});

/**
 * The runner runs the hooks of a block whose tests are all skipped.
 * @param {Hook} hook
 * @returns {(run: Run, timeoutMs?: number) => void}
 */
const limitHook = (hook) => (run, timeoutMs) => {
  const limitedRun = limited(run, timeoutMs);
  if (skippedDepth === 0) hook(limitedRun);
};
export const beforeAll = limitHook(raw.beforeAll);
export const beforeEach = limitHook(raw.beforeEach);
export const afterEach = limitHook(raw.afterEach);
export const afterAll = limitHook(raw.afterAll);

/** @param {Define} test @returns {(title: string, run: Run, timeoutMs?: number) => void} */
const limitTest = (test) => (title, run, timeoutMs) => {
  const limitedRun = limited(run, timeoutMs);
  if (skippedDepth === 0) test(title, limitedRun);
  else raw.it.skip(title, limitedRun);
};
const limitedIt = limitTest(raw.it);
const limitedOnly = limitTest(raw.it.only);
export const it = Object.assign(limitedIt, {
  only: Object.assign(limitedOnly, { each: bind(limitedOnly, false) }),
  skip: raw.it.skip,
  each: bind(limitedIt, false),
});
export const test = it;

export const jest = {
  ...raw.jest,
  /** Sets the time-out of the tests and hooks of this file that are defined after it. @param {number} timeoutMs */
  setTimeout(timeoutMs) {
    timeouts.set(expect.getState().testPath, timeoutMs);
    return jest;
  },
};
