import { parseClientCredential } from '@app/auth';
import { notFound } from '@app/common';
import { COMMAND_LINE_ACTOR } from '../audit/audit-action.js';
import { recordAudit } from '../audit/audit-records.queries.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import { lockTenant } from '../entities/tenants.queries.js';
import { checkApiKeyLimit } from '../plans/plan-limits.js';
import { ApiKey } from '../entities/api-key.entity.js';
import type { CredentialIssuer, IssuedCredential } from '../credentials/credential-issuer.js';
import type { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { revokeCredential } from '../entities/stored-credentials.queries.js';
import { recordCredentialChanges } from '../../tokens/change-feed/credential-changes.queries.js';

/** API key management on the command line. */
export class ApiKeysAdminService {
  constructor(
    private readonly transactions: CredentialTransactionService,
    private readonly issuer: CredentialIssuer,
  ) {}

  /** @throws AppError 409 over the plan's limit of API keys */
  create(clientId: string): Promise<IssuedCredential> {
    return this.transactions.transaction(async (manager) => {
      const client = await manager.findOneBy(ClientApplication, { id: clientId });
      if (!client) throw notFound('client_not_found', `No client application has the id ${clientId}.`);
      await checkApiKeyLimit(manager, await lockTenant(manager, client.ownerId));
      const issued = await this.issuer.issueApiKey(manager, clientId);
      const details = { keyId: issued.id };
      await recordAudit(manager, COMMAND_LINE_ACTOR, { action: 'key.created', target: clientId, details });
      await recordCredentialChanges(manager, [clientId]);
      return issued;
    });
  }

  /**
   * Revokes a key, now or after an overlap. Idempotent.
   * @param key its id or its whole text
   * @returns the key's id
   */
  revoke(key: string, inSeconds = 0): Promise<string> {
    const id = parseClientCredential('gth', key)?.id ?? key;
    return this.transactions.transaction(async (manager) => {
      const apiKey = await manager.findOneBy(ApiKey, { id });
      if (!apiKey) throw notFound('api_key_not_found', 'No API key has this id.');
      const target = apiKey.clientId;
      await revokeCredential(manager, ApiKey, id, inSeconds);
      await recordAudit(manager, COMMAND_LINE_ACTOR, {
        action: 'key.revoked',
        target,
        details: { keyId: id, inSeconds },
      });
      await recordCredentialChanges(manager, [target]);
      return id;
    });
  }
}
