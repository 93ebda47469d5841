import { userPlatform } from '@app/dto';
import { z } from 'zod';

export const user = z
  .object({
    id: z.string(),
    platform: userPlatform,
    userName: z.string().optional(),
    username: z.string().optional(),
    name: z.string().optional(),
    picture: z.string().optional(),
    createdTime: z.iso.datetime(),
  })
  .meta({ id: 'User', description: 'An identity on one platform.' });
export type User = z.output<typeof user>;

export const linkedUsers = z
  .object({ items: z.array(z.string()).meta({ description: 'Ids of users that share an Ethereum address' }) })
  .meta({ id: 'LinkedUsers' });
export type LinkedUsersResponse = z.output<typeof linkedUsers>;
