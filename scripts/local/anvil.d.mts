export function anvilBinary(root: string): string;
