export function inventHistory(options: { communityId: string; chainId: number; until: number }): object[];
