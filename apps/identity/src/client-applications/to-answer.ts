import type { ClientApplication } from '../clients/client-application.entity.js';
import type { ApiKey } from '../credentials/api-key.entity.js';
import type { ClientApplicationAnswer } from './client-application.dto.js';
import type { ApiKeyListItem } from './credential.dto.js';

export function toApplicationAnswer({
  id,
  rejectionReason,
  iconUrl,
  createdAt,
  updatedAt,
  ...client
}: ClientApplication): ClientApplicationAnswer {
  return {
    ...client,
    clientId: id,
    rejectionReason: rejectionReason ?? undefined,
    iconUrl: iconUrl ?? undefined,
    createdTime: createdAt.toISOString(),
    updatedTime: updatedAt.toISOString(),
  };
}

export function toKeyAnswer({ id, prefix, lastFour, createdAt, expiresAt }: ApiKey): ApiKeyListItem {
  return {
    keyId: id,
    hint: `${prefix}…${lastFour}`,
    createdTime: createdAt.toISOString(),
    expiresTime: expiresAt?.toISOString(),
  };
}
