// What `@jest/globals` exports, for the runner without isolation, which has no such module and no time-outs of its own.
import { bind } from 'jest-each';

/** A bound against hanging: apps take long to start on a busy machine. */
const DEFAULT_TIMEOUT_MS = 120_000;

const raw = globalThis;
export const { expect } = raw;

/** Time-outs by test file: this module is loaded once for all files of a worker. */
const timeouts = new Map();
const initialEnv = { ...process.env };
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
  for (const name of Object.keys(process.env)) if (!(name in initialEnv)) delete process.env[name];
  Object.assign(process.env, initialEnv);
}

/** Fails the running test or hook. Without it, Node ends the worker, and the report names neither the test nor the error. */
let failRunning;
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    process.stderr.write(`${event}: ${error?.stack ?? error}\n`);
    if (failRunning === undefined) process.exit(1);
    failRunning(error);
  });
}

function limited(run, ownTimeoutMs) {
  const fileTimeoutMs = currentTimeout();
  const timeoutMs = ownTimeoutMs ?? fileTimeoutMs;
  return async () => {
    let timer;
    const failure = new Promise((_, reject) => {
      failRunning = reject;
      const error = new Error(`Timed out after ${timeoutMs} ms`);
      timer = setRealTimeout(() => reject(error), timeoutMs);
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
 * loaded, their tests are defined, and none of them runs (scripts/local/bare-machine.mjs).
 */
let skippedDepth = process.env.TEST_COLLECT === '1' ? 1 : 0;

/** The runner takes a block of jest's `describe.skip` for one test; here each of its tests is skipped and counted. */
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

export const describe = Object.assign((title, tests) => raw.describe(title, tests), {
  each: raw.describe.each,
  only: raw.describe.only,
  skip: describeSkipped,
});

/** The runner runs the hooks of a block whose tests are all skipped. */
const limitHook = (hook) => (run, timeoutMs) => {
  const limitedRun = limited(run, timeoutMs);
  if (skippedDepth === 0) hook(limitedRun);
};
export const beforeAll = limitHook(raw.beforeAll);
export const beforeEach = limitHook(raw.beforeEach);
export const afterEach = limitHook(raw.afterEach);
export const afterAll = limitHook(raw.afterAll);

const limitTest = (test) => (title, run, timeoutMs) => {
  const limitedRun = limited(run, timeoutMs);
  return skippedDepth === 0 ? test(title, limitedRun) : raw.it.skip(title, limitedRun);
};
export const it = Object.assign(limitTest(raw.it), {
  only: limitTest(raw.it.only),
  skip: raw.it.skip,
});
it.each = bind(it, false);
it.only.each = bind(it.only, false);
export const test = it;

export const jest = {
  ...raw.jest,
  /** Sets the time-out of the tests and hooks of this file that are defined after it. */
  setTimeout(timeoutMs) {
    timeouts.set(expect.getState().testPath, timeoutMs);
    return jest;
  },
};
