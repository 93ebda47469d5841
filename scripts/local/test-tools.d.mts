export declare const TOOLS_OF_TESTS: Record<string, string>;
export declare function chooseTools(
  names: string[],
  options: { hasUnit: boolean; hasEndToEnd: boolean; jestArgs: string[] },
): string[];
