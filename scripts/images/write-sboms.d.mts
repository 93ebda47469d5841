export declare function writeSboms(root: string, targets: string[], folder: string): string[];
