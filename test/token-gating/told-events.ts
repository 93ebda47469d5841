import type { Pool } from 'pg';

/** The outbox forgets what was sent. */
const KEEP = `
  CREATE TABLE told (type text, community_id text, user_id text, role_id text);
  CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO told SELECT e->>'type', e->>'communityId', e->>'userId', e->>'roleId'
    FROM jsonb_array_elements(NEW.payload->'events') e;
    RETURN NEW;
  END $$;
  CREATE TRIGGER tell AFTER INSERT ON token_gating.outbox FOR EACH ROW
    WHEN (NEW.queue = 'community-events') EXECUTE FUNCTION tell();`;

const TOLD = `
  SELECT concat_ws(' ', type, user_id, role_id) AS event FROM told WHERE community_id = $1 ORDER BY 1`;

/** From now on every event that commits is kept, also by whom it was sent on already. */
export async function keepEvents(sql: Pool): Promise<void> {
  await sql.query(KEEP);
}

/** `<type> <user> <role>` of everything that was told of a community, in alphabetical order. */
export async function toldEvents(sql: Pool, communityId: string): Promise<string[]> {
  const { rows } = await sql.query<{ event: string }>(TOLD, [communityId]);
  return rows.map(({ event }) => event);
}
