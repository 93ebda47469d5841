export declare function createClientCommand(root: string): string;
export declare const SCOPES: readonly string[];
