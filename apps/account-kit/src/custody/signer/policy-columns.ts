import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Policy, policySchema } from '../../policies/rules/policy.js';

const identified = z.array(z.looseObject({ id: z.string() }));

/** The row of each id. One that cannot be read fails its own id only. */
export function matchRows<T>(
  ids: readonly string[],
  rows: readonly unknown[],
  schema: z.ZodType<T>,
): (T | undefined | Error)[] {
  const byId = new Map(identified.parse(rows).map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (row === undefined) return undefined;
    const parsed = schema.safeParse(row);
    return parsed.success ? parsed.data : parsed.error;
  });
}

const MAX_PARSED = 1_000;

/** Policies by their documents: parsing a policy of a hundred rules takes longer than a signature. */
const parsed = new LRUCache<string, Policy>(boundEntries(MAX_PARSED));

/** SQL of the policy of a row's client application as it is now, and of what the row has reserved of caps, by their keys. */
export const selectPolicy = (row: string): string => `
  (SELECT document::text FROM account_kit.policies AS policy WHERE policy.client_id = ${row}.client_id) AS policy,
  (SELECT jsonb_object_agg(cap_key, reserved::text) FROM account_kit.cap_reservations AS reservation
   WHERE reservation.operation_id = ${row}.id) AS reserved`;

/** The columns of `selectPolicy`. A document that is no policy is an error: nothing is signed by it. */
export const policyColumns = {
  policy: z
    .string()
    .transform((document) => parsePolicy(document))
    .nullable(),
  reserved: z.record(z.string(), z.string().transform(BigInt)).nullable(),
};

function parsePolicy(document: string): Policy {
  const known = parsed.get(document);
  if (known) return known;
  const policy = policySchema.parse(JSON.parse(document));
  parsed.set(document, policy);
  return policy;
}
