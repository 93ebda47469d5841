import type { ClaimedDelivery } from './delivery.js';

/** contract.md section 6: `errors` only when there are any. These bytes are what is signed. */
export function callbackBody({ requestId, clientId, result, subject }: ClaimedDelivery): string {
  const { roles, errors } = result;
  return JSON.stringify({ requestId, clientId, ...subject, roles, ...(errors.length > 0 ? { errors } : {}) });
}
