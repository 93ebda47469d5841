export declare function createClientCommand(root: string): string;
