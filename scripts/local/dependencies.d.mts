export declare function whyInstall(root: string): string | undefined;
