import { loadKeyVaultConfig } from '../key-vault.config.js';
import { KeyVaults } from './key-vaults.js';
import { LocalKeyVault } from './local-key-vault.js';

/** Creates the configured vaults. Only the signer process and commands keep what this returns. */
export function createKeyVaults(): KeyVaults {
  const { ACCOUNT_KEY_SECRET, ACCOUNT_KEY_SECRET_PREVIOUS } = loadKeyVaultConfig();
  return new KeyVaults(
    new LocalKeyVault(ACCOUNT_KEY_SECRET),
    ACCOUNT_KEY_SECRET_PREVIOUS === undefined ? [] : [new LocalKeyVault(ACCOUNT_KEY_SECRET_PREVIOUS)],
  );
}
