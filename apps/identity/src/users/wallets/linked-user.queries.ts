import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const MAX_LINKED_USERS = 1_000;

/**
 * Compares wallet keys, so that a contract wallet is shared only on its own chain. The inner LIMIT bounds the work for a
 * widely shared wallet; the overall first thousand are among each wallet's first thousand.
 */
const LINKED = `
  SELECT DISTINCT shared.user_id AS id
  FROM identity.wallet_connections AS mine, LATERAL (
    SELECT other.user_id FROM identity.wallet_connections AS other
    WHERE other.wallet_key = mine.wallet_key AND other.user_id <> $1
    ORDER BY other.user_id LIMIT ${MAX_LINKED_USERS}
  ) AS shared
  WHERE mine.user_id = $1 AND mine.platform = 'ethereum'
  ORDER BY id LIMIT ${MAX_LINKED_USERS}`;

const ids = z.array(z.object({ id: z.string() })).transform((rows) => rows.map(({ id }) => id));

/** Users that share at least one Ethereum account. */
@Injectable()
export class LinkedUserQueries {
  constructor(private readonly database: Database) {}

  /** At most a thousand ids, sorted, without the user's own. */
  async findLinkedUserIds(userId: string): Promise<string[]> {
    return ids.parse(await this.database.query(LINKED, [userId]));
  }
}
