export declare function collectImages(root: string, out: string): void;
