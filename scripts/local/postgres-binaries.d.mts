export declare function findPostgres(root: string): { folder: string; version: string };
