import type { UserGrant } from './grants.js';

/** One for each client application, with all that it may do and since when. @param grants the newest first */
export function byClient(grants: readonly UserGrant[]): UserGrant[] {
  const clients = new Map<string, UserGrant>();
  for (const grant of grants) {
    const newer = clients.get(grant.clientId);
    const scopes = [...new Set([...(newer?.scopes ?? []), ...grant.scopes])];
    clients.set(grant.clientId, { ...(newer ?? grant), scopes, since: grant.since });
  }
  return [...clients.values()];
}
