export function createAppSecrets(options: {
  databaseUrl: string;
  redisUrl?: string;
}): [name: string, values: Record<string, string>][];
