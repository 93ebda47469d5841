export declare function elsewhereFor(root: string): string;
