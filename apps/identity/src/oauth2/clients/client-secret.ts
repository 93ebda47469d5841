import { timingSafeEqual } from 'node:crypto';
import type { Client } from 'oidc-provider';
import type { CredentialHasher } from '../../applications/credentials/credential-hasher.js';

/** Under this name a client's metadata has the hashes of its live secrets, in hex: there may be two while one replaces the other. */
export const SECRET_HASHES_METADATA = 'gatehouse:secret_hashes';

/** Whether this is one of the client's live secrets. Every one of them is compared, and takes as long as any other. */
export function isValidClientSecret(client: Client, secret: string, hasher: CredentialHasher): boolean {
  const hashes = client[SECRET_HASHES_METADATA];
  if (!Array.isArray(hashes)) return false;
  const shown = hasher.hash(secret);
  return hashes.filter((hash: unknown) => isEqual(shown, hash)).length > 0;
}

const isEqual = (shown: Buffer, hash: unknown): boolean => {
  const stored = Buffer.from(String(hash), 'hex');
  return stored.length === shown.length && timingSafeEqual(stored, shown);
};
