export declare const runsKubectl: boolean;
export function unpackKubectl(): string;
