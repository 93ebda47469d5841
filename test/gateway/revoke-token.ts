import pg from 'pg';

/** Revokes a token as identity does, in the list and in the feed; `long ago`: the feed no longer has it. */
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
