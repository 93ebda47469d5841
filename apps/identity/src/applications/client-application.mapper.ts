import type { ClientApplication } from './entities/client-application.entity.js';
import type { ApiKey } from './entities/api-key.entity.js';
import { formatCredentialHint } from './entities/stored-credential.js';
import type { ClientApplicationResponse } from './client-application.dto.js';
import { getSignInOrigins } from './get-sign-in-origins.js';
import { isReviewed, selectReviewedValues, toWanted } from './reviewed-values.js';
import type { ApiKeyListItem } from './credentials/credential.dto.js';

/** The application as its owner wants it, beside what is approved. */
export function toClientApplicationResponse(application: ClientApplication): ClientApplicationResponse {
  const { id, rejectionReason, iconUrl, createdAt, updatedAt, ...client } = toWanted(application);
  return {
    ...client,
    clientId: id,
    rejectionReason: rejectionReason ?? undefined,
    iconUrl: iconUrl ?? undefined,
    ...(isReviewed(application) && {
      approvedValues: {
        ...selectReviewedValues(application),
        iconUrl: application.iconUrl ?? undefined,
        origins: getSignInOrigins(application),
      },
    }),
    createdTime: createdAt.toISOString(),
    updatedTime: updatedAt.toISOString(),
  };
}

export function toApiKeyResponse(key: ApiKey): ApiKeyListItem {
  const { id, createdAt, expiresAt } = key;
  return {
    keyId: id,
    hint: formatCredentialHint(key),
    createdTime: createdAt.toISOString(),
    expiresTime: expiresAt?.toISOString(),
  };
}
