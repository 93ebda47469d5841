import type { Principal } from '@app/auth';

/** Who wants an account checked: they may name user ids of their own users only (contract.md section 5). */
export type Requester = { readonly userId: string } | { readonly clientId: string };

/**
 * A user's token is in the user's hands: it must not carry what the application that it was issued to may know of others.
 * Undefined for who is neither a user nor a client application.
 */
export function toRequester(principal: Principal): Requester | undefined {
  if (principal.kind !== 'caller') return undefined;
  const { user, client } = principal;
  if (user) return { userId: user.id };
  return client && { clientId: client.id };
}
