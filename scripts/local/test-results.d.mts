export interface JestFile {
  name: string;
  status: string;
  assertionResults: { ancestorTitles: string[]; title: string; status: string; duration?: number }[];
}

export interface JestRun {
  config?: string;
  isShortLived?: boolean;
  success: boolean;
  results?: { success: boolean; testResults: JestFile[] };
}

interface Sum {
  success: boolean;
  passed: number;
  failed: number;
  skipped: number;
  needs: Map<string, number>;
  long: string[];
  unfinished: number;
}

export declare function sumResults(runs: readonly JestRun[]): Sum;
export declare function summarize(
  sum: Sum,
  about: { env: NodeJS.ProcessEnv; hidden?: string[] },
): { lines: string[]; success: boolean };
export declare function compareCollections(all: JestRun, other: JestRun, where: string): string[];
