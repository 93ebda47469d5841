import { deriveUserId } from '@app/auth';
import { Database } from '@app/database';
import type { PlatformUser, PlatformUsersResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';

/**
 * DO NOTHING covers conflicts on both unique indexes, which `ON CONFLICT (id) DO UPDATE` would not. Sorting by id avoids
 * deadlocks between concurrent batches.
 */
const INSERT = `
  INSERT INTO identity.users (id, platform, platform_user_id, user_name, username, name, picture)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS given (id, platform, platform_user_id, user_name, username, name, picture)
  ORDER BY id ON CONFLICT DO NOTHING`;

/** Never overwrites a field: any application may attach itself to a community and report any user. */
const FILL_MISSING_FIELDS = `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
      AS given (id, user_name, username, name, picture)
  ), incomplete AS MATERIALIZED (
    SELECT users.id FROM identity.users JOIN given USING (id)
    WHERE (users.user_name IS NULL AND given.user_name IS NOT NULL)
      OR (users.username IS NULL AND given.username IS NOT NULL)
      OR (users.name IS NULL AND given.name IS NOT NULL)
      OR (users.picture IS NULL AND given.picture IS NOT NULL)
    ORDER BY users.id FOR NO KEY UPDATE OF users
  )
  UPDATE identity.users SET
    user_name = coalesce(users.user_name, given.user_name),
    username = coalesce(users.username, given.username),
    name = coalesce(users.name, given.name),
    picture = coalesce(users.picture, given.picture)
  FROM incomplete JOIN given USING (id) WHERE users.id = incomplete.id`;

/** Stores platform users that client applications report. */
@Injectable()
export class PlatformUsersService {
  constructor(private readonly database: Database) {}

  /** Inserts unknown users and fills missing fields. @returns one user id per input, in order; duplicates share an id */
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
