export declare const EXTERNAL_PACKAGES: readonly string[];
export declare function bundleOf(root: string, app: string, entry?: string): string;
