export function anvilBinary(root: string): string;
export declare const LOCAL_CHAIN_ID: number;
