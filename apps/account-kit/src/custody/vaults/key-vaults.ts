import type { KeyVault, SealedKey } from './key-vault.js';

/** The vault of new accounts, and earlier ones whose keys are still in use. */
export class KeyVaults {
  constructor(
    readonly current: KeyVault,
    private readonly previous: readonly KeyVault[],
  ) {}

  get all(): readonly KeyVault[] {
    return [this.current, ...this.previous];
  }

  /** Undefined if its root is not configured. */
  async findByRootId(rootId: string): Promise<KeyVault | undefined> {
    for (const vault of this.all) if ((await vault.loadRootId()) === rootId) return vault;
    for (const vault of this.all) {
      const other = vault.findOtherRoot(rootId);
      if (other !== undefined && (await other.loadRootId()) === rootId) return other;
    }
    return undefined;
  }

  /** Undefined if no configured vault opens what this key has sealed. */
  findByWrappingKey(wrappingKeyId: string): KeyVault | undefined {
    return this.all.find((vault) => vault.canUnseal(wrappingKeyId));
  }

  /** Seals again with the current vault. @throws Error if the vault that sealed it is not configured */
  async rewrap(name: Buffer, sealed: SealedKey): Promise<SealedKey> {
    const vault = this.findByWrappingKey(sealed.wrappingKeyId);
    if (vault === undefined)
      throw new Error(`A stored key is sealed with ${sealed.wrappingKeyId}, which is not configured.`);
    return this.current.seal(name, await vault.unseal(name, sealed));
  }
}
