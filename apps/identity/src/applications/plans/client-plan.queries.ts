import { Database } from '@app/database';
import { type ClientPlansResponse, knownScopes, planName } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { toRequestLimits } from './plan-terms.js';

/** One statement and so one snapshot of records and change feed, see ApiKeyQueries. */
const PLANS = `
  SELECT (SELECT coalesce(max(seq), 0) FROM identity.credential_changes) AS "asOf",
    (SELECT coalesce(jsonb_agg(to_jsonb(found)), '[]') FROM (
      SELECT c.id AS "clientId", c.approved_scopes AS scopes,
        h.id AS "ownerId", h.plan, h.per_second AS "perSecond", h.per_month AS "perMonth"
      FROM identity.client_applications c
      JOIN identity.plan_holders h ON h.id = c.owner_id
      WHERE c.id = ANY($1::text[]) AND c.deleted_at IS NULL
    ) found) AS records`;

const planRecord = z.object({
  clientId: z.string(),
  ownerId: z.string(),
  plan: planName,
  perSecond: z.int().nullable(),
  perMonth: z.int().nullable(),
  scopes: knownScopes,
});

const rows = z.tuple([
  z.object({ asOf: z.bigint().transform(Number).pipe(z.int()), records: z.array(planRecord) }),
]);

/** Tenants, limits and scopes of client applications. */
@Injectable()
export class ClientPlanQueries {
  constructor(private readonly database: Database) {}

  /** Omits unknown and deleted client applications. */
  async findPlans(clientIds: readonly string[]): Promise<ClientPlansResponse> {
    const [{ asOf, records }] = rows.parse(await this.database.query(PLANS, [clientIds]));
    const plans = records.map(({ perSecond, perMonth, ...record }) => ({
      ...record,
      limits: toRequestLimits(record.plan, perSecond, perMonth),
    }));
    return { asOf, plans };
  }
}
