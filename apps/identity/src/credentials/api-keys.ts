import { parseCredential } from '@app/auth';
import { notFound } from '@app/common';
import { ClientApplication } from '../clients/client-application.entity.js';
import { checkRoomForApiKey, lockPlanHolder } from '../clients/plan-room.js';
import { ApiKey } from './api-key.entity.js';
import type { CredentialIssuer, IssuedCredential } from './credential-issuer.js';
import type { CredentialWrites } from './credential-writes.js';
import { recordChanges } from './record-changes.js';

/** The API keys of client applications. */
export class ApiKeys {
  constructor(
    private readonly writes: CredentialWrites,
    private readonly issuer: CredentialIssuer,
  ) {}

  /** One more key, beside those that the client application has. */
  create(clientId: string): Promise<IssuedCredential> {
    return this.writes.transaction(async (manager) => {
      const client = await manager.findOneBy(ClientApplication, { id: clientId });
      if (!client) throw notFound('no_such_client', `There is no client application ${clientId}.`);
      await checkRoomForApiKey(manager, await lockPlanHolder(manager, client.ownerId));
      const issued = await this.issuer.issueApiKey(manager, clientId);
      await recordChanges(manager, [clientId]);
      return issued;
    });
  }

  /**
   * Ends a key, now or after an overlap in which its successor takes over. Ending it again changes nothing.
   * @param key its id or its whole text
   * @returns the key's id
   */
  revoke(key: string, inSeconds = 0): Promise<string> {
    const id = parseCredential('gth', key)?.id ?? key;
    return this.writes.transaction(async (manager) => {
      const known = await manager.findOneBy(ApiKey, { id });
      if (!known) throw notFound('no_such_key', 'There is no such API key.');
      const end =
        inSeconds === 0
          ? { revokedAt: () => 'coalesce(revoked_at, now())' }
          : { expiresAt: () => `least(expires_at, now() + make_interval(secs => :inSeconds))` };
      await manager
        .createQueryBuilder()
        .update(ApiKey)
        .set(end)
        .where({ id })
        .setParameters({ inSeconds })
        .execute();
      await recordChanges(manager, [known.clientId]);
      return id;
    });
  }
}
