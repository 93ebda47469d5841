import { z } from 'zod';

/** Users in one request: as many as a page of a list has. */
export const MAX_NAMED_USERS = 100;

/** POST /internal/users/names of identity: what users are called where others see them. */
export const userNamesRequest = z.object({
  userIds: z.array(z.string().min(1).max(128)).max(MAX_NAMED_USERS),
  /** The application that sees the names: those that it reported itself. Without it, those that users gave themselves. */
  clientId: z.string().min(1).max(128).optional(),
});
export type UserNamesRequest = z.infer<typeof userNamesRequest>;

/** Omits users without a name. */
export const userNamesResponse = z.object({
  users: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type UserNamesResponse = z.infer<typeof userNamesResponse>;
