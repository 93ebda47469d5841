import { createHmac } from 'node:crypto';

/**
 * Hashes credentials for storage and lookup. A fast hash is enough for 256 random bits, and the key prevents offline checks
 * against a stolen table.
 */
export class CredentialHasher {
  constructor(private readonly pepper: Buffer) {}

  hash(credential: string): Buffer {
    return createHmac('sha256', this.pepper).update(credential).digest();
  }
}
