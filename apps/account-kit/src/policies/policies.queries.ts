import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';
import { type Policy, policySchema } from './rules/policy.js';

const policyRows = z.array(z.object({ clientId: z.string(), document: z.unknown() }));

/** @returns the policy of each client application, in order; an error for a document that cannot be read */
export async function findPolicies(
  db: Queryable,
  clientIds: readonly string[],
): Promise<(Policy | undefined | Error)[]> {
  const rows = await queryRows(
    db,
    'SELECT client_id AS "clientId", document FROM account_kit.policies WHERE client_id = ANY($1::text[])',
    [[...new Set(clientIds)]],
  );
  const policies = new Map(
    policyRows.parse(rows).map(({ clientId, document }) => {
      const parsed = policySchema.safeParse(document);
      return [clientId, parsed.success ? parsed.data : parsed.error];
    }),
  );
  return clientIds.map((clientId) => policies.get(clientId));
}

/** The revision of a policy that is not set. */
export const NO_REVISION = 'none';
const REVISION = 'md5(document::text)';

/** @param document JSON of a policy, as its operator wrote it */
export async function savePolicy(db: Queryable, clientId: string, document: string): Promise<void> {
  await queryRows(
    db,
    `INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)
     ON CONFLICT (client_id) DO UPDATE SET document = excluded.document, changed_at = now()`,
    [clientId, document],
  );
}

/** Saves a policy only if the stored one has this revision. @returns false if it has another one */
export async function replacePolicy(
  db: Queryable,
  clientId: string,
  { document, revision }: { document: string; revision: string },
): Promise<boolean> {
  const statement =
    revision === NO_REVISION
      ? `INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)
         ON CONFLICT (client_id) DO NOTHING RETURNING client_id`
      : `UPDATE account_kit.policies SET document = $2, changed_at = now()
         WHERE client_id = $1 AND ${REVISION} = $3 RETURNING client_id`;
  const values = [clientId, document, ...(revision === NO_REVISION ? [] : [revision])];
  return (await queryRows(db, statement, values)).length === 1;
}

const storedPolicyRow = z.object({
  document: z.record(z.string(), z.unknown()),
  changedAt: z.date(),
  revision: z.string(),
});
export type StoredPolicy = Readonly<z.infer<typeof storedPolicyRow>>;

/** The policy as it was set. */
export async function findStoredPolicy(db: Queryable, clientId: string): Promise<StoredPolicy | undefined> {
  const [row] = await queryRows(
    db,
    `SELECT document, changed_at AS "changedAt", ${REVISION} AS revision FROM account_kit.policies WHERE client_id = $1`,
    [clientId],
  );
  return row === undefined ? undefined : storedPolicyRow.parse(row);
}

export async function findPolicyDocument(db: Queryable, clientId: string): Promise<string | undefined> {
  const rows = await queryRows(
    db,
    'SELECT jsonb_pretty(document) AS document FROM account_kit.policies WHERE client_id = $1',
    [clientId],
  );
  return z.array(z.object({ document: z.string() })).parse(rows)[0]?.document;
}

/** @returns false if the application has no policy, or one with another revision */
export async function deletePolicy(db: Queryable, clientId: string, revision?: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    `DELETE FROM account_kit.policies
     WHERE client_id = $1 AND ($2::text IS NULL OR ${REVISION} = $2) RETURNING client_id`,
    [clientId, revision ?? null],
  );
  return rows.length === 1;
}
