export declare const nodeArguments: string[];
export declare function entryOf(root: string, name: string): string;
export declare function askReady(managementPort: string | number | undefined): Promise<string | undefined>;
