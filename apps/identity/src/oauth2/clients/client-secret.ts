import { timingSafeEqual } from 'node:crypto';
import type { Client } from 'oidc-provider';
import type { CredentialHasher } from '../../applications/credentials/credential-issuer.js';

/** The metadata key of the hex hashes of a client's live secrets: two of them during a rotation. */
export const SECRET_HASHES_METADATA = 'gatehouse:secret_hashes';

/** Whether the secret is one of the client's live secrets. Compares with all of them, in constant time. */
export function isValidClientSecret(client: Client, secret: string, hasher: CredentialHasher): boolean {
  const hashes = client[SECRET_HASHES_METADATA];
  if (!Array.isArray(hashes)) return false;
  const presented = hasher.hash(secret);
  return hashes.filter((hash: unknown) => isEqual(presented, hash)).length > 0;
}

const isEqual = (presented: Buffer, hash: unknown): boolean => {
  const stored = Buffer.from(String(hash), 'hex');
  return stored.length === presented.length && timingSafeEqual(stored, presented);
};
