export declare const BUILT_IN_KINDS: Record<string, string | undefined>;
export declare function toModelName(apiVersion: string, kind: string): string;
