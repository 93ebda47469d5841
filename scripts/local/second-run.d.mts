import type { JestRun } from './test-results.mjs';

export declare function runFailedAgain(
  runs: JestRun[],
  runAlone: (run: JestRun, path: string) => Promise<JestRun>,
): Promise<{ runs: JestRun[]; lines: string[] }>;
