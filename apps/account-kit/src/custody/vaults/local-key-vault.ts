import { createKeyRoot, deriveAccountKey, type KeyRoot } from '../derive-account-key.js';
import type { KeyInfo } from '../encode-key-info.js';
import { type KeyVault, type SealedKey, sealKey, unsealKey } from './key-vault.js';

/** Keeps the root in the memory of this process. */
export class LocalKeyVault implements KeyVault {
  readonly wrappingKeyId: string;
  private readonly root: KeyRoot;

  constructor(secret: Buffer) {
    this.root = createKeyRoot(secret);
    this.wrappingKeyId = `local:${this.root.id}`;
  }

  loadRootId(): Promise<string> {
    return Promise.resolve(this.root.id);
  }

  derive(info: KeyInfo): Promise<Buffer> {
    return Promise.resolve(deriveAccountKey(this.root, info));
  }

  findOtherRoot(): undefined {
    return undefined;
  }

  seal(name: Buffer, key: Buffer): Promise<SealedKey> {
    const sealedKey = sealKey(this.root.wrappingKey, name, key);
    return Promise.resolve({ wrappingKeyId: this.wrappingKeyId, dataKey: null, sealedKey });
  }

  canUnseal(wrappingKeyId: string): boolean {
    return wrappingKeyId === this.wrappingKeyId;
  }

  async unseal(name: Buffer, { sealedKey }: SealedKey): Promise<Buffer> {
    return Promise.resolve(unsealKey(this.root.wrappingKey, name, sealedKey));
  }
}
