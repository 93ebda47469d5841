import type { Pool } from 'pg';

/** The outbox deletes rows after sending them, so a trigger copies their events. */
const RECORD = `
  CREATE TABLE recorded_events (type text, community_id text, user_id text, role_id text);
  CREATE FUNCTION record_events() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO recorded_events SELECT e->>'type', e->>'communityId', e->>'userId', e->>'roleId'
    FROM jsonb_array_elements(NEW.payload->'events') e;
    RETURN NEW;
  END $$;
  CREATE TRIGGER record_events AFTER INSERT ON token_gating.outbox FOR EACH ROW
    WHEN (NEW.queue = 'community-events') EXECUTE FUNCTION record_events();`;

const LIST = `
  SELECT concat_ws(' ', type, user_id, role_id) AS event FROM recorded_events
  WHERE community_id = $1 AND type <> 'member.checked' ORDER BY 1`;

/** Records every community event that is committed from now on. */
export async function recordEvents(sql: Pool): Promise<void> {
  await sql.query(RECORD);
}

/** The recorded events of a community as `<type> <user> <role>`, in alphabetical order. */
export async function listRecordedEvents(sql: Pool, communityId: string): Promise<string[]> {
  const { rows } = await sql.query<{ event: string }>(LIST, [communityId]);
  return rows.map(({ event }) => event);
}
