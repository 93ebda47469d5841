export declare function chooseTools(
  names: string[],
  options: { hasUnit: boolean; hasEndToEnd: boolean; jestArgs: string[] },
): string[];
