import { createRunner } from 'jest-light-runner';
import { FileQueue } from './file-queue.mjs';
import { END_LEASES } from './leases-message.mjs';

/** @import { Config } from '@jest/types' */
/** @import { Test, TestResult } from '@jest/test-result' */
/** @import { TestFile } from '../longest-first.mjs' */

const LightRunner = createRunner({ runtime: 'child_process' });

/** A debugger is attached to jest's own process (`npm test -- --inspect`), which then runs the tests itself. */
const isInspected = process.execArgv.some((argument) => argument.startsWith('--inspect'));

/** jest-light-runner in child processes: end-to-end tests measure their process's memory, and signals reach it. */
export default class ChildProcesses {
  /** @param {Config.GlobalConfig} globalConfig */
  constructor(globalConfig) {
    this.globalConfig = globalConfig;
  }

  /**
   * @param {Test[]} tests
   * @param {unknown} _watcher
   * @param {(test: Test) => Promise<void>} onStart
   * @param {(test: Test, result: TestResult) => Promise<void>} onResult
   * @param {(test: Test, error: unknown) => Promise<void>} onFailure
   */
  async runTests(tests, _watcher, onStart, onResult, onFailure) {
    const queue = new FileQueue(tests);
    const workers = Array.from({ length: this.globalConfig.maxWorkers }, async () => {
      const child = new ChildProcess(this.globalConfig);
      for (let next = queue.take(); next !== undefined; next = queue.take(next.group)) {
        const test = /** @type {Test} */ (next.test);
        await onStart(test)
          .then(() => child.run(next))
          .then((result) => onResult(test, result))
          .catch((/** @type {unknown} */ error) => onFailure(test, error));
      }
      await child.end();
    });
    await Promise.all(workers);
  }
}

/** A runner of one child process. */
class ChildProcess extends LightRunner {
  /** @type {object | undefined} */
  group;

  /** @param {Config.GlobalConfig} globalConfig */
  constructor(globalConfig) {
    super({ ...globalConfig, maxWorkers: 1 });
    /** @type {'main_thread' | 'child_process'} */
    this._runtime = isInspected ? 'main_thread' : 'child_process'; // a child process also where there is one worker
  }

  /** @param {{ test: TestFile, group: TestFile[] }} next */
  run({ test, group }) {
    if (this.group !== undefined && group !== this.group) this.endLeases();
    this.group = group;
    return this._runTest(/** @type {Test} */ (test));
  }

  /** No file that it has still to run uses them. */
  endLeases() {
    if (isInspected) return; // worlds end with this process
    for (const { pool } of this._testRunners.values())
      for (const { process } of pool.threads) process.send(END_LEASES);
  }

  end() {
    return this.runTests([]);
  }
}
