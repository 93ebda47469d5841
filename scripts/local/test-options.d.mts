import type { ProgramName } from './test-programs.mjs';

export interface TestOptions {
  hasUnit: boolean;
  hasEndToEnd: boolean;
  hidden: ProgramName[];
  resultsFile?: string;
  secondRunOf?: string[];
  runsAgain: boolean;
  jestArgs: string[];
  endToEndRuns: { args: string[]; isShortLived?: boolean }[];
}

export declare function testOptions(args: readonly string[]): TestOptions;
