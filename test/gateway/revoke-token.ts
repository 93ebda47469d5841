import pg from 'pg';

/**
 * Revokes a token as identity does: a row, and a number in the feed. Long ago means that the feed has forgotten it.
 */
export async function revokeToken(databaseUrl: string, id: string, when?: 'long ago'): Promise<void> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('BEGIN');
  await database.query(
    `INSERT INTO identity.revoked_tokens (id, expires_at) VALUES ($1, now() + interval '1 hour')`,
    [id],
  );
  if (when === undefined)
    await database.query('INSERT INTO identity.credential_changes (token_id) VALUES ($1)', [id]);
  await database.query('COMMIT');
  await database.end();
}
