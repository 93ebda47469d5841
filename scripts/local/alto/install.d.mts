export declare function findAlto(): string | undefined;
