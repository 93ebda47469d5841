import { userIdOf } from '@app/auth';
import { Database } from '@app/database';
import type { PlatformUser, PlatformUsersAnswer } from '@app/dto';
import { Injectable } from '@nestjs/common';

/**
 * In the order of ids, so that two of these never wait for each other crosswise. Any application may attach itself somewhere
 * and say something of anybody: what was said first stays.
 */
const UPSERT = `
  INSERT INTO identity.users (id, platform, platform_user_id, user_name, username, name, picture)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS said (id, platform, platform_user_id, user_name, username, name, picture)
  ORDER BY id
  ON CONFLICT (id) DO UPDATE SET
    user_name = coalesce(users.user_name, excluded.user_name),
    username = coalesce(users.username, excluded.username),
    name = coalesce(users.name, excluded.name),
    picture = coalesce(users.picture, excluded.picture)
  WHERE (users.user_name IS NULL AND excluded.user_name IS NOT NULL)
    OR (users.username IS NULL AND excluded.username IS NOT NULL)
    OR (users.name IS NULL AND excluded.name IS NOT NULL)
    OR (users.picture IS NULL AND excluded.picture IS NOT NULL)`;

/** Users of platforms that others vouch for. */
@Injectable()
export class PlatformUsers {
  constructor(private readonly database: Database) {}

  /** Makes them known. One id per user, in order; who is named twice is one. */
  async upsert(users: readonly PlatformUser[]): Promise<PlatformUsersAnswer> {
    const userIds = users.map(({ platform, platformUserId }) => userIdOf(platform, platformUserId));
    const byId = new Map<string, PlatformUser>();
    for (const [index, user] of users.entries()) {
      const id = userIds[index] ?? '';
      byId.set(id, { ...user, ...byId.get(id) });
    }
    const all = [...byId.values()];
    const columns = (['platform', 'platformUserId', 'userName', 'username', 'name', 'picture'] as const).map(
      (field) => all.map((user) => user[field] ?? null),
    );
    await this.database.query(UPSERT, [[...byId.keys()], ...columns]);
    return { userIds };
  }
}
