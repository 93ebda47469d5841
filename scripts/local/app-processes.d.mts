export declare const nodeArguments: string[];
export declare function askReady(managementPort: string | number | undefined): Promise<string | undefined>;
