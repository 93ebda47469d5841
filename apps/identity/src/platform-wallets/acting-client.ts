import type { Principal } from '@app/auth';
import { memberRefused } from './platform-wallets.errors.js';

/** The client application that acts for itself. A user's token does not grant what its application may do. @throws AppError 403 */
export function requireActingClient(principal: Principal): string {
  if (principal.kind !== 'caller' || !principal.client || principal.user)
    throw memberRefused('client_not_attached');
  return principal.client.id;
}
