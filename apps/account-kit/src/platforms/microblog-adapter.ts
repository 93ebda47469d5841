import { z } from 'zod';
import type { PlatformAdapter } from './platform-adapter.js';

const usersMeResponse = z.object({ data: z.object({ id: z.string() }) });

/** The microblog's `users/me` (https://docs.x.com/x-api/users/get-my-user). Its ids are text. */
export const microblogAdapter: PlatformAdapter = {
  tokenPattern: /^[\x21-\x7e]{16,2048}$/,
  createRequest: (token) => ({ path: '/2/users/me', headers: { authorization: `Bearer ${token}` } }),
  findUserId: (body) => usersMeResponse.safeParse(body).data?.data.id,
};
