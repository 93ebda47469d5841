export function createSecrets(options: { databaseUrl: string; redisUrl?: string; namespace: string }): {
  metadata: { name: string; namespace: string };
  stringData: Record<string, string>;
}[];
