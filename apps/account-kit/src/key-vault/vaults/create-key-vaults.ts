import { loadKeyVaultConfig } from '../key-vault.config.js';
import { AwsKmsKeyVault } from './aws-kms-key-vault.js';
import type { KeyVault } from './key-vault.js';
import { KeyVaults } from './key-vaults.js';
import { LocalKeyVault } from './local-key-vault.js';

/** Creates the configured vaults. Only the signer process and commands keep what this returns. */
export function createKeyVaults(): KeyVaults {
  const config = loadKeyVaultConfig();
  const { ACCOUNT_KEY_SECRET_PREVIOUS: previous } = config;
  return new KeyVaults(
    createCurrentVault(config),
    previous === undefined ? [] : [new LocalKeyVault(previous)],
  );
}

function createCurrentVault(config: ReturnType<typeof loadKeyVaultConfig>): KeyVault {
  const {
    ACCOUNT_KEY_VAULT,
    ACCOUNT_KEY_SECRET: secret,
    KMS_ROOT_KEY_ID: root,
    KMS_WRAP_KEY_ID: wrap,
  } = config;
  if (ACCOUNT_KEY_VAULT === 'aws-kms' && root !== undefined && wrap !== undefined)
    return new AwsKmsKeyVault({ root, wrap });
  if (ACCOUNT_KEY_VAULT !== 'aws-kms' && secret !== undefined) return new LocalKeyVault(secret);
  throw new Error('the configuration of the key vault was not checked');
}
