import { PORTAL_SCOPES, scope } from '@app/dto';
import { z } from 'zod';
import {
  applicationName,
  clientType,
  iconUrl,
  idTokenAlg,
  origins,
  redirectUris,
  tokenResponseFormat,
} from './client-application-fields.js';
import type { ClientApplication } from './entities/client-application.entity.js';
import type { ApiKey } from './entities/api-key.entity.js';
import { formatCredentialHint } from './entities/stored-credential.js';
import { getSignInOrigins } from './get-sign-in-origins.js';
import { isReviewed, selectReviewedValues, toWanted } from './reviewed-values.js';
import type { ApiKeyListItem } from './credentials/credential.dto.js';

/** Documents examples of operations whose scope no client application can request. */
export const PORTAL_SCOPE_EXAMPLE = {
  status: 403,
  reason: 'only the portal may request the scope of this operation',
};

/** All scopes except those of the deployment's portal. */
const requestedScopes = z
  .array(scope.exclude(PORTAL_SCOPES))
  .max(50)
  .transform((all) => [...new Set(all)]);

const fields = {
  name: applicationName.meta({
    description: 'Shown to users on the consent page once an operator has approved it',
  }),
  redirectUris: redirectUris.meta({
    description:
      'https, or http on localhost, 127.0.0.1 and [::1]. A public application may also have a private-use scheme, such as com.example.app:/callback',
  }),
  postLogoutRedirectUris: redirectUris.meta({
    description: 'Where a browser may return after `GET /oauth2/logout`, compared byte for byte',
  }),
  origins: origins.meta({
    description: 'Origins that may use Sign-in with Ethereum; the origins of the redirect URIs when empty',
  }),
  scopes: requestedScopes.meta({
    description: '`token-gating`, `community:analytics` and `accountkit` need approval by an operator',
  }),
  implicit: z.boolean().meta({ description: 'Whether `response_type=token` may be used' }),
  idTokenAlg,
  tokenResponse: tokenResponseFormat.meta({
    description:
      'Format of the token endpoint for OpenID Connect when `Accept` names neither; applications registered before this field existed have `form`',
  }),
};

export const newClientApplication = z
  .strictObject({
    name: fields.name,
    type: clientType.default('confidential'),
    redirectUris: fields.redirectUris.default([]),
    origins: fields.origins.default([]),
    postLogoutRedirectUris: fields.postLogoutRedirectUris.default([]),
    iconUrl: iconUrl.optional(),
    scopes: fields.scopes.default([]),
    implicit: fields.implicit.default(false),
    idTokenAlg: fields.idTokenAlg.default('RS256'),
    tokenResponse: fields.tokenResponse.default('json'),
  })
  .meta({
    id: 'NewClientApplication',
    example: { name: 'Shop', redirectUris: ['http://localhost:3006/callback'], scopes: ['token-gating'] },
  });
export type NewClientApplication = z.output<typeof newClientApplication>;

export const clientApplicationChange = z
  .strictObject({
    name: fields.name.optional(),
    redirectUris: fields.redirectUris.optional(),
    origins: fields.origins.optional(),
    postLogoutRedirectUris: fields.postLogoutRedirectUris.optional(),
    iconUrl: iconUrl.nullable().optional().meta({ description: 'null removes it' }),
    scopes: fields.scopes.optional(),
    implicit: fields.implicit.optional(),
    idTokenAlg: fields.idTokenAlg.optional(),
    tokenResponse: fields.tokenResponse.optional(),
  })
  .meta({
    id: 'ClientApplicationChange',
    example: { name: 'Shop' },
    description:
      'Omitted fields stay unchanged. Once an operator has approved an application, another name, another icon and added redirect URIs (after logout, too) and origins wait for approval while the approved ones and its scopes go on working; what is removed stops working at once.',
  });
export type ClientApplicationChange = z.output<typeof clientApplicationChange>;

export const clientApplication = z
  .object({
    clientId: z.string(),
    name: z.string(),
    type: clientType,
    status: z.enum(['pending', 'approved', 'rejected']).meta({
      description:
        '`pending` while it waits for an operator; scopes that need no approval work in every state',
    }),
    rejectionReason: z.string().optional(),
    requestedScopes: z.array(scope),
    approvedScopes: z.array(scope).meta({ description: 'The scopes that the application has now' }),
    redirectUris: z.array(z.string()),
    origins: z.array(z.string()),
    postLogoutRedirectUris: z.array(z.string()),
    iconUrl: z.string().optional(),
    implicit: z.boolean(),
    idTokenAlg,
    tokenResponse: tokenResponseFormat,
    approvedValues: z
      .object({
        name: z.string(),
        iconUrl: z.string().optional(),
        redirectUris: z.array(z.string()),
        postLogoutRedirectUris: z.array(z.string()),
        origins: z.array(z.string()).meta({ description: 'All origins of Sign-in with Ethereum' }),
      })
      .optional()
      .meta({
        description:
          'What users see and what works now, until an operator approves the changes; absent if no operator has reviewed the application',
      }),
    revision: z.int().meta({ description: 'Increases with every change by the owner' }),
    createdTime: z.iso.datetime(),
    updatedTime: z.iso.datetime(),
  })
  .meta({ id: 'ClientApplication' });
export type ClientApplicationResponse = z.output<typeof clientApplication>;

export const clientApplicationList = z
  .object({ items: z.array(clientApplication) })
  .meta({ id: 'ClientApplicationList' });

export const createdClientApplication = z
  .object({
    application: clientApplication,
    clientSecret: z.string().optional().meta({ description: 'Shown once; absent for a public client' }),
    keyId: z.string(),
    apiKey: z.string().meta({ description: 'Shown once' }),
  })
  .meta({ id: 'CreatedClientApplication' });

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
  const { id, name, scopes, createdAt, expiresAt, lastUsedAt } = key;
  return {
    keyId: id,
    hint: formatCredentialHint(key),
    createdTime: createdAt.toISOString(),
    name: name ?? undefined,
    scopes: scopes ?? undefined,
    expiresTime: expiresAt?.toISOString(),
    lastUsedTime: lastUsedAt?.toISOString(),
  };
}
