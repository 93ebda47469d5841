import { z } from 'zod';
import { type PlatformAdapter, toIdText } from './platform-adapter.js';

const userResponse = z.object({ id: z.number() });

/** The code host's `user` (https://docs.github.com/en/rest/users/users#get-the-authenticated-user). */
export const codehostAdapter: PlatformAdapter = {
  tokenPattern: /^[\x21-\x7e]{16,512}$/,
  createRequest: (token) => ({
    path: '/user',
    headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
  }),
  findUserId(body) {
    const { data } = userResponse.safeParse(body);
    return data && toIdText(data.id);
  },
};
