export declare function migrateCommands(root: string): { app: string; file: string }[];
