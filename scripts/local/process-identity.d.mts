export declare function startOf(pid: number): string | undefined;
export declare function signal(pid: number, name: NodeJS.Signals): void;
