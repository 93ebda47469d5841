import { randomBytes } from 'node:crypto';
import { createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Adapter, ClientMetadata } from 'oidc-provider';
import {
  findOAuthClients,
  type OAuthClient,
} from '../../applications/entities/client-applications.queries.js';
import { isPrivateUseUri } from '../../applications/redirect-uri.js';
import { toRequestLimits } from '../../applications/plans/plan-terms.js';
import { SECRET_HASHES_METADATA } from '../clients/client-secret.js';
import { PLAN_METADATA } from '../clients/client-rate-limiter.js';
import { TOKEN_RESPONSE_METADATA } from '../provider/negotiate-content-type.js';
import { toClientScope } from '../clients/scopes.js';

/** oidc-provider requires a secret for confidential clients, but `compareClientSecret` checks the stored hashes instead. */
const UNUSED_CLIENT_SECRET = randomBytes(32).toString('base64url');

/** Reads client applications without a cache, so that changes and deletions apply to the next request. */
@Injectable()
export class ClientAdapter implements Pick<Adapter, 'find'> {
  private readonly reads = createBatcher((ids: readonly string[]) => this.findAll(ids));

  constructor(private readonly database: Database) {}

  async find(id: string): Promise<ClientMetadata | undefined> {
    const client = await this.reads.load(id);
    return client && toMetadata(client);
  }

  private async findAll(ids: readonly string[]): Promise<(OAuthClient | undefined)[]> {
    const rows = await findOAuthClients(this.database, [...new Set(ids)]);
    return ids.map((clientId) => rows.find(({ id }) => id === clientId));
  }
}

function toMetadata({ id, type, scopes, redirectUris, implicit, idTokenAlg, ...stored }: OAuthClient) {
  const { secretHashes, tenantId, tokenResponse } = stored;
  const { perSecond } = toRequestLimits(stored.plan, stored.perSecond, stored.perMonth);
  const isConfidential = type === 'confidential';
  const hasRedirectUri = redirectUris.length > 0;
  return {
    client_id: id,
    redirect_uris: redirectUris,
    // oidc-provider accepts private-use schemes of native clients only.
    application_type: redirectUris.some(isPrivateUseUri) ? ('native' as const) : ('web' as const),
    // `none` stands for the implicit flow (register-grants.ts).
    response_types: hasRedirectUri ? [...(['code'] as const), ...(implicit ? (['none'] as const) : [])] : [],
    grant_types: [
      ...(hasRedirectUri ? ['authorization_code', 'refresh_token'] : []),
      ...(isConfidential ? ['client_credentials'] : []),
    ],
    scope: toClientScope(scopes),
    id_token_signed_response_alg: idTokenAlg,
    token_endpoint_auth_method: isConfidential ? ('client_secret_basic' as const) : ('none' as const),
    ...(isConfidential ? { client_secret: UNUSED_CLIENT_SECRET } : {}),
    [SECRET_HASHES_METADATA]: secretHashes,
    [PLAN_METADATA]: { tenantId, perSecond },
    [TOKEN_RESPONSE_METADATA]: tokenResponse,
  };
}
