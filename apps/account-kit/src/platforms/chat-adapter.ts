import { z } from 'zod';
import { type PlatformAdapter, toIdText } from './platform-adapter.js';

const getMeResponse = z.object({
  ok: z.literal(true),
  result: z.object({ id: z.union([z.string(), z.number()]), is_bot: z.literal(true) }),
});

/** The chat platform's bot API: `getMe` (https://core.telegram.org/bots/api#getme). The token is part of the URL. */
export const chatAdapter: PlatformAdapter = {
  tokenPattern: /^[1-9]\d{0,18}:[A-Za-z0-9_-]{30,64}$/,
  createRequest: (token) => ({ path: `/bot${token}/getMe`, headers: {} }),
  findUserId(body) {
    const { data } = getMeResponse.safeParse(body);
    return data && toIdText(data.result.id);
  },
};
