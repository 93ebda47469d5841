import { knownScopes } from '@app/dto';
import { z } from 'zod';
import { unauthorized } from '@app/common';

export type SignedInUser = NonNullable<Extract<Principal, { kind: 'caller' }>['user']>;

/** Who is signed in. The gateway has seen to it that somebody is. @throws AppError 401 should it not have */
export function requireSignedInUser(principal: Principal): SignedInUser {
  if (principal.kind !== 'caller' || !principal.user)
    throw unauthorized('user_required', 'This operation is for a signed-in user.');
  return principal.user;
}

/**
 * Who a request speaks for, as the gateway found it. Services trust this and nothing else.
 * `anonymous` is a principal too; `service` is another app of ours, for `/internal/*` only.
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
        /** The wallet that signed in, CAIP-10; absent where a user is not known by one. */
        account: z.string().optional(),
        /** When they signed in, Unix seconds; absent where nothing says it. */
        authTime: z.int().optional(),
      })
      .optional(),
    scopes: knownScopes,
  }),
]);

export type Principal = Readonly<z.infer<typeof principal>>;

export const ANONYMOUS_PRINCIPAL: Principal = Object.freeze({ kind: 'anonymous' });
