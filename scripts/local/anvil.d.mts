export declare const LOCAL_CHAIN_ID: number;
export declare const ANVIL_PACKAGES: Record<string, string>;
export declare function anvilBinary(
  root: string,
  machine?: { platform?: string; arch?: string; env?: NodeJS.ProcessEnv },
): string;
