import { createHmac } from 'node:crypto';

/**
 * What a credential is stored and looked up under. A fast hash is enough: with 256 random bits there is nothing to
 * guess, and the key keeps a stolen table from proving anything.
 */
export class CredentialHasher {
  constructor(private readonly pepper: Buffer) {}

  hash(credential: string): Buffer {
    return createHmac('sha256', this.pepper).update(credential).digest();
  }
}
