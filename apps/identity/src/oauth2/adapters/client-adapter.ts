import { randomBytes } from 'node:crypto';
import { createBatcher } from '@app/common';
import { Database } from '@app/database';
import { knownScopes, planName } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { Adapter, ClientMetadata } from 'oidc-provider';
import { z } from 'zod';
import { toRequestLimits } from '../../applications/plans/plan-terms.js';
import { SECRET_HASHES_METADATA } from '../clients/client-secret.js';
import { PLAN_METADATA } from '../clients/client-rate-limiter.js';
import { toClientScope } from '../clients/scopes.js';

const CLIENTS = `
  SELECT c.id, c.type, c.approved_scopes AS scopes, c.redirect_uris AS "redirectUris", c.implicit,
    c.id_token_alg AS "idTokenAlg",
    ARRAY(
      SELECT encode(s.hash, 'hex') FROM identity.client_secrets AS s
      WHERE s.client_id = c.id AND s.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > now())
      ORDER BY s.id
    ) AS "secretHashes",
    h.id AS "tenantId", h.plan, h.per_second AS "perSecond", h.per_month AS "perMonth"
  FROM identity.client_applications AS c JOIN identity.plan_holders AS h ON h.id = c.owner_id
  WHERE c.id = ANY($1) AND c.deleted_at IS NULL`;

const count = z.bigint().transform(Number).nullable();

const clients = z.array(
  z.object({
    id: z.string(),
    type: z.enum(['confidential', 'public']),
    scopes: knownScopes,
    redirectUris: z.array(z.string()),
    implicit: z.boolean(),
    idTokenAlg: z.enum(['RS256', 'ES256']),
    secretHashes: z.array(z.string()),
    tenantId: z.string(),
    plan: planName,
    perSecond: count,
    perMonth: count,
  }),
);

type StoredClient = z.output<typeof clients>[number];

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

  private async findAll(ids: readonly string[]): Promise<(StoredClient | undefined)[]> {
    const rows = clients.parse(await this.database.query(CLIENTS, [[...new Set(ids)]]));
    return ids.map((clientId) => rows.find(({ id }) => id === clientId));
  }
}

function toMetadata({ id, type, scopes, redirectUris, implicit, idTokenAlg, ...stored }: StoredClient) {
  const { secretHashes, tenantId } = stored;
  const { perSecond } = toRequestLimits(stored.plan, stored.perSecond, stored.perMonth);
  const isConfidential = type === 'confidential';
  const hasRedirectUri = redirectUris.length > 0;
  return {
    client_id: id,
    redirect_uris: redirectUris,
    // `none` stands for the implicit flow (register-implicit-flow.ts).
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
  };
}
