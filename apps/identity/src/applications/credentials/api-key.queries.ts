import { Database } from '@app/database';
import { type ClientCredential, type CredentialResponse, planName, type Scope, scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { toRequestLimits } from '../plans/plan-terms.js';
import { CredentialHasher } from './credential-hasher.js';

/**
 * One statement and so one snapshot of record and feed. Changes become visible in the order of their numbers, so
 * whatever this snapshot does not hold will have a number above its `asOf`.
 */
const CREDENTIAL = `
  SELECT (SELECT coalesce(max(seq), 0) FROM identity.credential_changes) AS "asOf",
    (SELECT to_jsonb(found) FROM (
      SELECT k.id AS "keyId", k.expires_at AS "expiresAt", c.id AS "clientId", c.approved_scopes AS scopes,
        h.id AS "ownerId", h.plan, h.per_second AS "perSecond", h.per_month AS "perMonth"
      FROM identity.api_keys k
      JOIN identity.client_applications c ON c.id = k.client_id AND c.deleted_at IS NULL
      JOIN identity.plan_holders h ON h.id = c.owner_id
      WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
    ) found) AS record`;

const credentialRecord = z.object({
  keyId: z.string(),
  clientId: z.string(),
  ownerId: z.string(),
  plan: planName,
  perSecond: z.int().nullable(),
  perMonth: z.int().nullable(),
  /** A scope that this build does not know grants nothing. */
  scopes: z
    .array(z.string())
    .transform((all) => all.filter((text): text is Scope => scope.safeParse(text).success)),
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
});

const rows = z.tuple([
  z.object({ asOf: z.bigint().transform(Number).pipe(z.int()), record: credentialRecord.nullable() }),
]);

/** What identity knows of an API key. Unknown, revoked, expired and deleted are the same to whoever asks. */
@Injectable()
export class ApiKeyQueries {
  constructor(
    private readonly database: Database,
    private readonly hasher: CredentialHasher,
  ) {}

  async findApiKey(apiKey: string): Promise<CredentialResponse> {
    const [{ asOf, record }] = rows.parse(await this.database.query(CREDENTIAL, [this.hasher.hash(apiKey)]));
    return { asOf, credential: record && toCredential(record) };
  }
}

function toCredential(record: z.output<typeof credentialRecord>): ClientCredential {
  const { perSecond, perMonth, expiresAt, ...known } = record;
  return {
    ...known,
    limits: toRequestLimits(record.plan, perSecond, perMonth),
    expiresAt: expiresAt && new Date(expiresAt).toISOString(),
  };
}
