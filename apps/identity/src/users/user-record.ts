import { userPlatform } from '@app/dto';
import { z } from 'zod';

/** Columns of identity.users, with the names of contract.md section 7. */
export const USER_COLUMNS = `id, platform, platform_user_id AS "platformUserId", user_name AS "userName", username, name,
  picture, created_at AS "createdTime"`;

const optionalText = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined);

/** A user: an identity on one platform. */
export const userRecord = z.object({
  id: z.string(),
  platform: userPlatform,
  platformUserId: z.string(),
  userName: optionalText,
  username: optionalText,
  name: optionalText,
  picture: optionalText,
  createdTime: z.date().transform((date) => date.toISOString()),
});
export type UserRecord = Readonly<z.output<typeof userRecord>>;
