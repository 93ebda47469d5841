import { z } from 'zod';

const usersMeResponse = z.object({ data: z.object({ id: z.string() }) });

/** The microblog's `users/me` (https://docs.x.com/x-api/users/get-my-user). Its ids are text. */
export const microblogAdapter: PlatformAdapter = {
  tokenPattern: /^[\x21-\x7e]{16,2048}$/,
  createRequest: (token) => ({ path: '/2/users/me', headers: { authorization: `Bearer ${token}` } }),
  findUserId: (body) => usersMeResponse.safeParse(body).data?.data.id,
};

/** How a platform says whose token it is. */
export interface PlatformAdapter {
  /** Form of its tokens. Others are refused without a request. */
  readonly tokenPattern: RegExp;
  createRequest(token: string): { readonly path: string; readonly headers: Readonly<Record<string, string>> };
  /** The id of the user in a response, as it is; undefined if there is none. */
  findUserId(body: unknown): unknown;
}

/** Numbers above 2^53 - 1 have lost digits when they were parsed. */
export const toIdText = (id: string | number): string | undefined => {
  if (typeof id === 'string') return id;
  return Number.isSafeInteger(id) ? String(id) : undefined;
};

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
