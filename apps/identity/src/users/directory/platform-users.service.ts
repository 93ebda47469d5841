import { deriveUserId } from '@app/auth';
import { Database } from '@app/database';
import type { PlatformUser, PlatformUsersResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';

/**
 * Of many at once who say the same one makes it: whichever of the two unique indexes they meet at, which `ON CONFLICT (id)
 * DO UPDATE` does not forgive. In the order of ids, so that two of these never wait for each other crosswise.
 */
const INSERT = `
  INSERT INTO identity.users (id, platform, platform_user_id, user_name, username, name, picture)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS said (id, platform, platform_user_id, user_name, username, name, picture)
  ORDER BY id ON CONFLICT DO NOTHING`;

/** Any application may attach itself somewhere and say something of anybody: what was said first stays. */
const FILL_MISSING_FIELDS = `
  WITH said AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
      AS said (id, user_name, username, name, picture)
  ), wanting AS MATERIALIZED (
    SELECT users.id FROM identity.users JOIN said USING (id)
    WHERE (users.user_name IS NULL AND said.user_name IS NOT NULL)
      OR (users.username IS NULL AND said.username IS NOT NULL)
      OR (users.name IS NULL AND said.name IS NOT NULL)
      OR (users.picture IS NULL AND said.picture IS NOT NULL)
    ORDER BY users.id FOR NO KEY UPDATE OF users
  )
  UPDATE identity.users SET
    user_name = coalesce(users.user_name, said.user_name),
    username = coalesce(users.username, said.username),
    name = coalesce(users.name, said.name),
    picture = coalesce(users.picture, said.picture)
  FROM wanting JOIN said USING (id) WHERE users.id = wanting.id`;

/** Users of platforms that others vouch for. */
@Injectable()
export class PlatformUsersService {
  constructor(private readonly database: Database) {}

  /** Makes them known. One id per user, in order; who is named twice is one. */
  async upsert(users: readonly PlatformUser[]): Promise<PlatformUsersResponse> {
    const userIds = users.map(({ platform, platformUserId }) => deriveUserId(platform, platformUserId));
    const byId = new Map<string, PlatformUser>();
    for (const [index, user] of users.entries()) {
      const id = userIds[index] ?? '';
      byId.set(id, { ...user, ...byId.get(id) });
    }
    const ids = [...byId.keys()];
    const column = (field: keyof PlatformUser) => [...byId.values()].map((user) => user[field] ?? null);
    const names = [column('userName'), column('username'), column('name'), column('picture')];
    await this.database.query(INSERT, [ids, column('platform'), column('platformUserId'), ...names]);
    await this.database.query(FILL_MISSING_FIELDS, [ids, ...names]);
    return { userIds };
  }
}
