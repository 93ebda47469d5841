import type { Principal } from '@app/auth';

/** The user or client application that requests a check. It may name user ids of its own users only (contract.md section 5). */
export type Requester = { readonly userId: string } | { readonly clientId: string };

/**
 * A user's token acts for the user alone, because its bearer must not get the rights of the client application that it was
 * issued to. Undefined for a principal without user and client application.
 */
export function toRequester(principal: Principal): Requester | undefined {
  if (principal.kind !== 'caller') return undefined;
  const { user, client } = principal;
  if (user) return { userId: user.id };
  return client && { clientId: client.id };
}
