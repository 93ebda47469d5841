export function throwAwayFolder(): string;
