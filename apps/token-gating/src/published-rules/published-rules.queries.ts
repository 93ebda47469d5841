import { type Queryable, queryRows } from '@app/database';
import { z } from 'zod';

const publishedRules = z.array(z.object({ name: z.string(), rule: z.record(z.string(), z.unknown()) }));
export type StoredPublishedRule = z.output<typeof publishedRules>[number];

/** Replaces the rules of an application in one statement, so that no check sees a part of them. */
export async function storePublishedRules(
  db: Queryable,
  clientId: string,
  rules: readonly StoredPublishedRule[],
): Promise<void> {
  const sql = `
    INSERT INTO token_gating.published_rules (client_id, rules) VALUES ($1, $2::jsonb)
    ON CONFLICT (client_id) DO UPDATE SET rules = excluded.rules, updated_at = now()`;
  await queryRows(db, sql, [clientId, JSON.stringify(rules)]);
}

const SELECT = `
  SELECT published.value ->> 'name' AS name, published.value -> 'rule' AS rule
  FROM token_gating.published_rules p, jsonb_array_elements(p.rules) WITH ORDINALITY AS published (value, position)
  WHERE p.client_id = $1`;

/** All rules of an application, in its order. */
export async function listPublishedRules(db: Queryable, clientId: string): Promise<StoredPublishedRule[]> {
  return publishedRules.parse(await queryRows(db, `${SELECT} ORDER BY position`, [clientId]));
}

/** The rules of an application with these names, in its order. */
export async function findPublishedRules(
  db: Queryable,
  clientId: string,
  names: readonly string[],
): Promise<StoredPublishedRule[]> {
  const sql = `${SELECT} AND published.value ->> 'name' = ANY ($2::text[]) ORDER BY position`;
  return publishedRules.parse(await queryRows(db, sql, [clientId, names]));
}
