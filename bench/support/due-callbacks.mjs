import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';

/** @import { Pool } from 'pg' */
/** @typedef {ReturnType<typeof newCallback>} Callback */

const result = { roles: [{ id: 'rich', granted: true }], errors: [] };

/**
 * A finished check and its callback.
 * @param {string} url
 * @returns {{ requestId: string, deliveryId: string, url: string, body: string }}
 */
export function newCallback(url) {
  const requestId = randomUUID();
  const { roles } = result;
  return {
    requestId,
    deliveryId: `msg_${ulid()}`,
    url,
    body: JSON.stringify({ requestId, clientId: 'client_bench', roles }),
  };
}

/**
 * Callbacks as finished checks leave them.
 * @param {Pool} sql
 * @param {Callback[]} callbacks
 * @param {{ held?: boolean }} [options] `held`: not due before `release`
 */
export async function makeDue(sql, callbacks, { held = false } = {}) {
  /** @param {keyof Callback} name */
  const column = (name) => callbacks.map((callback) => callback[name]);
  await sql.query(
    `WITH made AS (
       INSERT INTO token_gating.checks
         (id, client_id, request_hash, request, callback_url, reply, result, done_at, next_run_at, expires_at)
       SELECT check_id, 'client_bench', '', '{}', url, false, $4::jsonb, now(), now(),
              now() + interval '1 day 1 minute'
       FROM unnest($1::uuid[], $2::text[]) AS made (check_id, url)
     )
     INSERT INTO token_gating.deliveries (id, check_id, url, next_attempt_at)
     SELECT id, check_id, url, CASE WHEN $5 THEN 'infinity' ELSE now() END
     FROM unnest($1::uuid[], $2::text[], $3::text[]) AS made (check_id, url, id)`,
    [column('requestId'), column('url'), column('deliveryId'), JSON.stringify(result), held],
  );
}

/**
 * @param {Pool} sql
 * @param {string} query of one row with a column `count`
 * @param {unknown[]} [values]
 */
export async function readCount(sql, query, values = []) {
  const { rows } = /** @type {{ rows: { count: number }[] }} */ (await sql.query(query, values));
  return rows[0]?.count ?? 0;
}

/** @param {Pool} sql */
export const release = (sql) =>
  sql.query("UPDATE token_gating.deliveries SET next_attempt_at = now() WHERE next_attempt_at = 'infinity'");
