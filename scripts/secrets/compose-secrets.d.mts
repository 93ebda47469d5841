export declare function createComposeSecrets(): Record<string, string>;
