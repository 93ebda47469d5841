import { queryRows, type Queryable } from '@app/database';
import { z } from 'zod';

const applicationPlatformsRow = z.object({ botIds: z.array(z.string()), acceptsUnboundTokens: z.boolean() });

/** The platforms whose tokens sign for a client application. */
type ApplicationPlatforms = Readonly<z.infer<typeof applicationPlatformsRow>>;

const DEFAULTS: ApplicationPlatforms = { botIds: [], acceptsUnboundTokens: false };

export async function findApplicationPlatforms(
  db: Queryable,
  clientId: string,
): Promise<ApplicationPlatforms> {
  const [row] = await queryRows(
    db,
    `SELECT bot_ids AS "botIds", accepts_unbound_tokens AS "acceptsUnboundTokens"
     FROM account_kit.application_platforms WHERE client_id = $1`,
    [clientId],
  );
  return row === undefined ? DEFAULTS : applicationPlatformsRow.parse(row);
}

/** Lets the tokens of a chat bot sign for a client application. */
export async function addBot(db: Queryable, clientId: string, botId: string): Promise<void> {
  await queryRows(
    db,
    `INSERT INTO account_kit.application_platforms AS application (client_id, bot_ids)
     VALUES ($1, ARRAY[$2::text])
     ON CONFLICT (client_id) DO UPDATE
     SET bot_ids = array_append(array_remove(application.bot_ids, $2::text), $2::text)`,
    [clientId, botId],
  );
}

export async function removeBot(db: Queryable, clientId: string, botId: string): Promise<void> {
  await queryRows(
    db,
    `UPDATE account_kit.application_platforms SET bot_ids = array_remove(bot_ids, $2::text)
     WHERE client_id = $1`,
    [clientId, botId],
  );
}

export async function setAcceptsUnboundTokens(
  db: Queryable,
  clientId: string,
  accepts: boolean,
): Promise<void> {
  await queryRows(
    db,
    `INSERT INTO account_kit.application_platforms (client_id, accepts_unbound_tokens) VALUES ($1, $2)
     ON CONFLICT (client_id) DO UPDATE SET accepts_unbound_tokens = excluded.accepts_unbound_tokens`,
    [clientId, accepts],
  );
}
