import { bodyTooLarge } from '@app/service';
import { z } from 'zod';
import { MAX_FORM_BYTES } from './parse-authorization-request.js';

/** OpenID Connect RP-Initiated Logout 1.0 section 2. Others are ignored. */
const KNOWN_PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const;

/** Each parameter counts only if it is given once and readable: a logout is never refused for its wishes. */
const parameter = z
  .string()
  .max(4_096)
  .regex(/^\P{Cc}+$/u)
  .optional()
  .catch(undefined);

export const logoutRequest = z.object({
  id_token_hint: parameter,
  client_id: parameter,
  post_logout_redirect_uri: parameter,
  state: parameter,
});
export type LogoutRequest = z.output<typeof logoutRequest>;

/** The query of the logout page for a request in a query or a form. @throws AppError 413 above 8 KiB */
export function toLogoutQuery(text: string): string {
  if (Buffer.byteLength(text) > MAX_FORM_BYTES) throw bodyTooLarge(MAX_FORM_BYTES);
  const given = new URLSearchParams(text);
  const known = KNOWN_PARAMETERS.flatMap((name) =>
    given.getAll(name).map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(known).toString();
}
