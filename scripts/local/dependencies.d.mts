export declare function whyInstall(root: string): string | undefined;
export declare function installVerb(
  packages: Record<string, { optionalDependencies?: Record<string, string> }>,
): string[];
