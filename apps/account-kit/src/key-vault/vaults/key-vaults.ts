import type { KeyVault } from './key-vault.js';

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
    return undefined;
  }

  /** Undefined if no configured vault opens what this key has sealed. */
  findByWrappingKey(wrappingKeyId: string): KeyVault | undefined {
    return this.all.find((vault) => vault.canUnseal(wrappingKeyId));
  }
}
