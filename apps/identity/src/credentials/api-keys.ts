import { parseCredential } from '@app/auth';
import { notFound } from '@app/common';
import { COMMAND } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { ClientApplication } from '../clients/client-application.entity.js';
import { checkRoomForApiKey, lockPlanHolder } from '../clients/plan-room.js';
import { ApiKey } from './api-key.entity.js';
import type { CredentialIssuer, IssuedCredential } from './credential-issuer.js';
import type { CredentialWrites } from './credential-writes.js';
import { endCredential } from './end-credential.js';
import { recordChanges } from './record-changes.js';

/** The API keys of client applications, as they are managed on the command line. */
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
      const details = { keyId: issued.id };
      await recordAudit(manager, COMMAND, { action: 'key.created', target: clientId, details });
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
      const target = known.clientId;
      await endCredential(manager, ApiKey, id, inSeconds);
      await recordAudit(manager, COMMAND, {
        action: 'key.revoked',
        target,
        details: { keyId: id, inSeconds },
      });
      await recordChanges(manager, [target]);
      return id;
    });
  }
}
