import { Database } from '@app/database';
import { userPlatform, type UsersResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const USERS = `
  SELECT id, platform, platform_user_id AS "platformUserId" FROM identity.users WHERE id = ANY ($1::text[])`;

const rows = z.array(z.object({ id: z.string(), platform: userPlatform, platformUserId: z.string() }));

/** Users' platforms and platform user ids. */
@Injectable()
export class UserQueries {
  constructor(private readonly database: Database) {}

  async findByIds(userIds: readonly string[]): Promise<UsersResponse> {
    return { users: rows.parse(await this.database.query(USERS, [userIds])) };
  }
}
