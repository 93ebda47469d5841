import { createPrefixedId } from '@app/common';
import type { EntityManager } from 'typeorm';
import type { CredentialIssuer } from './credentials/credential-issuer.js';
import { ClientApplication } from './entities/client-application.entity.js';
import type { Tenant } from './entities/tenant.entity.js';
import { checkApiKeyLimit, checkClientApplicationLimit } from './plans/plan-limits.js';
import type { ApprovalState } from './approval-state.js';

/** What whoever makes an application says of it. */
export type ClientApplicationFields = Pick<ClientApplication, 'name' | 'type'> &
  Partial<Pick<ClientApplication, 'redirectUris' | 'origins' | 'iconUrl' | 'implicit' | 'idTokenAlg'>>;

/** Everything that is shown once, and never again. */
export interface CreatedClientApplication {
  clientId: string;
  ownerId: string;
  /** A public client cannot keep a secret and gets none. */
  clientSecret: string | null;
  keyId: string;
  apiKey: string;
}

/**
 * Makes an application with its first credentials, for a plan holder that is locked.
 * @throws AppError 409 when the plan has no room for it
 */
export async function insertClientApplication(
  manager: EntityManager,
  issuer: CredentialIssuer,
  holder: Tenant,
  record: ClientApplicationFields & ApprovalState,
): Promise<CreatedClientApplication> {
  await checkClientApplicationLimit(manager, holder);
  await checkApiKeyLimit(manager, holder);
  const clientId = createPrefixedId('client');
  await manager.insert(ClientApplication, { ...record, id: clientId, ownerId: holder.id });
  const secret = record.type === 'public' ? undefined : await issuer.issueClientSecret(manager, clientId);
  const key = await issuer.issueApiKey(manager, clientId);
  return {
    clientId,
    ownerId: holder.id,
    clientSecret: secret?.text ?? null,
    keyId: key.id,
    apiKey: key.text,
  };
}
