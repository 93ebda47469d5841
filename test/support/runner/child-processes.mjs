import { createRunner } from 'jest-light-runner';

const LightRunner = createRunner({ runtime: 'child_process' });

/** jest-light-runner in child processes: end-to-end tests measure their process's memory, and signals reach it. */
export default class ChildProcesses extends LightRunner {
  constructor(globalConfig) {
    super(globalConfig);
    this._runtime = 'child_process'; // also with one worker
  }

  /** Gives each run a channel of its own: a shared one answers one child in another's place, which then waits for ever. */
  _runTest(test) {
    const { config: projectConfig } = test.context;
    const first = this._testRunners.has(projectConfig) ? undefined : super._runTest(test);
    const runner = this._testRunners.get(projectConfig);
    if (first === undefined) return runner.run(test);
    const workerData = { globalConfig: this._globalConfig, projectConfig, runtime: this._runtime };
    runner.run = ({ path }) => runner.pool.run(path, { channel: workerDataChannel(workerData) });
    return first;
  }
}

/** Answers a child that asks for what jest knows. */
function workerDataChannel(workerData) {
  let answer;
  return {
    onMessage(listener) {
      answer = listener;
    },
    postMessage(message) {
      if (message === 'jest-light-runner-get-worker-data')
        answer({ type: 'jest-light-runner-worker-data', workerData });
    },
  };
}
