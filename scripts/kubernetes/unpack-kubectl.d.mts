export function unpackKubectl(): string;
