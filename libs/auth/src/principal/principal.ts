import { unauthorized } from '@app/common';
import { knownScopes } from '@app/dto';
import { z } from 'zod';
import { loginMethods } from './login-methods.js';

export type SignedInUser = NonNullable<Extract<Principal, { kind: 'caller' }>['user']>;

/** The signed-in user, whose presence the gateway has checked. @throws AppError 401 without a user */
export function requireSignedInUser(principal: Principal): SignedInUser {
  if (principal.kind !== 'caller' || !principal.user)
    throw unauthorized('user_required', 'This operation requires a signed-in user.');
  return principal.user;
}

/**
 * The authenticated identity of a request, which services get from a verified principal token.
 * `service` is another app, for `/internal/*` only.
 */
export const principal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  z.object({ kind: z.literal('service'), name: z.string() }),
  z.object({
    kind: z.literal('caller'),
    client: z.object({ id: z.string(), ownerId: z.string(), plan: z.string() }).optional(),
    user: z
      .object({
        id: z.string(),
        /** The wallet that signed in, as a CAIP-10 account id; absent for a login without a wallet. */
        account: z.string().optional(),
        /** Time of the login in Unix seconds, if known. */
        authTime: z.int().optional(),
        amr: loginMethods.optional(),
        /** When the presented token was issued, in Unix seconds; absent for a message that the user signed. */
        tokenIssuedAt: z.int().optional(),
      })
      .optional(),
    scopes: knownScopes,
  }),
]);

export type Principal = Readonly<z.infer<typeof principal>>;

/** The tenant whose share of memory, reads and connections a request takes; empty for an anonymous one. */
export const getTenantId = (principal: Principal): string =>
  principal.kind === 'caller' ? (principal.client?.ownerId ?? principal.user?.id ?? '') : '';

export const ANONYMOUS_PRINCIPAL: Principal = Object.freeze({ kind: 'anonymous' });
