import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import type { ListPosition } from '@app/service';
import { z } from 'zod';
import { exportedEvent, type ExportedEvent } from './events-export.dto.js';

/** An event has the time of its statement, and is visible when its transaction commits, which takes less than this. */
const VISIBLE_AFTER = '60 seconds';

const LIST_EVENTS = `
  SELECT id, type, ${formatTimestampSql('at')} AS at, ${formatTimestampSql('received_at')} AS "receivedAt",
    user_id AS "userId", role_id AS "roleId", account_id AS "accountId"
  FROM analytics.events
  WHERE community_id = $1 AND received_at < now() - interval '${VISIBLE_AFTER}'
    AND (received_at, id) > ($2::timestamptz, $3::uuid)
  ORDER BY received_at, id LIMIT $4`;

const FIRST_POSITION: ListPosition = { time: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

const optionalId = z
  .string()
  .nullable()
  .transform((id) => id ?? undefined);
const rows = z.array(exportedEvent.extend({ roleId: optionalId, accountId: optionalId }));

export async function listExportedEvents(
  db: Queryable,
  communityId: string,
  { after = FIRST_POSITION, limit }: { after: ListPosition | undefined; limit: number },
): Promise<ExportedEvent[]> {
  return rows.parse(await queryRows(db, LIST_EVENTS, [communityId, after.time, after.id, limit]));
}
