// The package has no types. Described are the parts that child-processes.mjs uses, also private ones: a file is given to a chosen process.
declare module 'jest-light-runner' {
  import type { ChildProcess } from 'node:child_process';
  import type { Test, TestResult } from '@jest/test-result';
  import type { Config } from '@jest/types';

  class LightRunner {
    constructor(globalConfig: Config.GlobalConfig);
    protected _runtime: 'child_process' | 'main_thread';
    protected readonly _testRunners: ReadonlyMap<
      object,
      { readonly pool: { readonly threads: Iterable<{ readonly process: ChildProcess }> } }
    >;
    protected _runTest(test: Test): Promise<TestResult>;
    protected runTests(tests: readonly Test[]): Promise<void>;
  }
  export function createRunner(options: { runtime: 'child_process' }): typeof LightRunner;
}
