import { knownScopes } from '@app/dto';
import { z } from 'zod';

/** More than come in with each, so that the table keeps no more than what is alive. */
const MAX_SWEPT_ROWS = 10;

export const INSERT_AE_TOKEN = `
  WITH swept AS (
    DELETE FROM identity.ae_tokens WHERE jti IN (
      SELECT jti FROM identity.ae_tokens WHERE expires_at <= now()
      ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO identity.ae_tokens (jti, user_id, client_id, scopes, issued_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

export const DELETE_AE_TOKEN = 'DELETE FROM identity.ae_tokens WHERE jti = $1';

/** As rows, not as the pair of rows and their number that a DELETE gives. */
export const DELETE_USER_AE_TOKENS = `
  WITH gone AS (
    DELETE FROM identity.ae_tokens WHERE user_id = $1 AND client_id = $2
    RETURNING jti AS id, expires_at AS "expiresAt"
  )
  SELECT * FROM gone`;

export const deletedTokenRows = z.array(z.object({ id: z.string(), expiresAt: z.date() }));

export const SELECT_ACTIVE_LOGINS = `
  SELECT t.client_id AS "clientId", min(t.issued_at) AS since, max(t.expires_at) AS until,
    array_agg(DISTINCT one.scope) AS scopes
  FROM identity.ae_tokens t, unnest(t.scopes) AS one (scope)
  WHERE t.user_id = $1 AND t.expires_at > now()
  GROUP BY t.client_id ORDER BY since`;

/** A client application that a user is signed in to. */
export const activeLoginRows = z.array(
  z.object({ clientId: z.string(), since: z.date(), until: z.date(), scopes: knownScopes }),
);
export type ActiveLogin = z.output<typeof activeLoginRows>[number];
