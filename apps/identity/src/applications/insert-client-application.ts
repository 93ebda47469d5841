import { createPrefixedId } from '@app/common';
import type { EntityManager } from 'typeorm';
import { checkRedirectUris } from './redirect-uri.js';
import type { CredentialIssuer } from './credentials/credential-issuer.js';
import { ClientApplication } from './entities/client-application.entity.js';
import { UNLIMITED_KEY } from './entities/api-key.entity.js';
import type { Tenant } from './entities/tenant.entity.js';
import { checkApiKeyLimit, checkClientApplicationLimit } from './plans/check-ownership-limits.js';
import type { ApprovalState } from './approval-state.js';

/** Fields of a new application, without its scopes. */
export type ClientApplicationFields = Pick<ClientApplication, 'name' | 'type'> &
  Partial<
    Pick<
      ClientApplication,
      | 'redirectUris'
      | 'postLogoutRedirectUris'
      | 'origins'
      | 'iconUrl'
      | 'implicit'
      | 'idTokenAlg'
      | 'tokenResponse'
    >
  >;

/** The secrets are shown once. */
export interface CreatedClientApplication {
  clientId: string;
  ownerId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  keyId: string;
  apiKey: string;
}

/**
 * Creates an application with its first credentials.
 * @param tenant locked by the caller, so that the counts of its limits stay true
 * @throws AppError 409 over a limit of the plan, 400 for a redirect URI that is not for its type
 */
export async function insertClientApplication(
  manager: EntityManager,
  issuer: CredentialIssuer,
  tenant: Tenant,
  record: ClientApplicationFields &
    ApprovalState &
    Partial<
      Pick<
        ClientApplication,
        'revision' | 'reviewedRevision' | 'waitingSince' | 'ownerMessage' | 'ownerMessageAt'
      >
    >,
): Promise<CreatedClientApplication> {
  checkRedirectUris(record.type, record.redirectUris);
  checkRedirectUris(record.type, record.postLogoutRedirectUris, 'postLogoutRedirectUris');
  await checkClientApplicationLimit(manager, tenant);
  await checkApiKeyLimit(manager, tenant);
  const clientId = createPrefixedId('client');
  await manager.insert(ClientApplication, { ...record, id: clientId, ownerId: tenant.id });
  const secret = record.type === 'public' ? undefined : await issuer.issueClientSecret(manager, clientId);
  const key = await issuer.issueApiKey(manager, clientId, { ...UNLIMITED_KEY, name: 'First key' });
  return {
    clientId,
    ownerId: tenant.id,
    clientSecret: secret?.text ?? null,
    keyId: key.id,
    apiKey: key.text,
  };
}
