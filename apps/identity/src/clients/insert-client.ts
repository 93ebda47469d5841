import { randomBytes } from 'node:crypto';
import { toBase62 } from '@app/common';
import type { EntityManager } from 'typeorm';
import type { CredentialIssuer } from '../credentials/credential-issuer.js';
import { ClientApplication } from './client-application.entity.js';
import type { PlanHolder } from './plan-holder.entity.js';
import { checkRoomForApiKey, checkRoomForClient } from './plan-room.js';
import type { ApprovalState } from './scope-approval.js';

export const newId = (kind: 'client' | 'owner'): string => `${kind}_${toBase62(randomBytes(12), 17)}`;

/** What whoever makes an application says of it. */
export type ClientFields = Pick<ClientApplication, 'name' | 'type'> &
  Partial<Pick<ClientApplication, 'redirectUris' | 'origins' | 'iconUrl' | 'implicit' | 'idTokenAlg'>>;

/** Everything that is shown once, and never again. */
export interface CreatedClient {
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
export async function insertClient(
  manager: EntityManager,
  issuer: CredentialIssuer,
  holder: PlanHolder,
  record: ClientFields & ApprovalState,
): Promise<CreatedClient> {
  await checkRoomForClient(manager, holder);
  await checkRoomForApiKey(manager, holder);
  const clientId = newId('client');
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
