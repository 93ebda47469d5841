import { loadKeyVaultConfig } from '../key-vault.config.js';
import { AwsKmsKeyVault } from './aws-kms-key-vault.js';
import type { KeyVault } from './key-vault.js';
import { KeyVaults } from './key-vaults.js';
import { LocalKeyVault } from './local-key-vault.js';
import { TransitEngine } from './transit-engine.js';
import { VaultClient } from './vault-client.js';
import { VaultTransitKeyVault } from './vault-transit-key-vault.js';

type Config = ReturnType<typeof loadKeyVaultConfig>;

/** Creates the configured vaults. Only the signer process and commands keep what this returns. */
export function createKeyVaults(): KeyVaults {
  const config = loadKeyVaultConfig();
  const { ACCOUNT_KEY_VAULT: current = 'local', ACCOUNT_KEY_VAULT_PREVIOUS: previous } = config;
  const { ACCOUNT_KEY_SECRET_PREVIOUS: previousSecret } = config;
  return new KeyVaults(createVault(current, config), [
    ...(previousSecret === undefined ? [] : [new LocalKeyVault(previousSecret)]),
    ...(previous === undefined ? [] : [createVault(previous, config)]),
  ]);
}

function createVault(kind: NonNullable<Config['ACCOUNT_KEY_VAULT']>, config: Config): KeyVault {
  const { ACCOUNT_KEY_SECRET: secret, KMS_ROOT_KEY_ID: root, KMS_WRAP_KEY_ID: wrap } = config;
  if (kind === 'aws-kms' && root !== undefined && wrap !== undefined)
    return new AwsKmsKeyVault({ root, wrap });
  if (kind === 'vault-transit') return createVaultTransit(config);
  if (kind === 'local' && secret !== undefined) return new LocalKeyVault(secret);
  throw new Error('the configuration of the key vault was not checked');
}

function createVaultTransit(config: Config): KeyVault {
  const { VAULT_ADDR: address, VAULT_NAMESPACE: namespace, VAULT_TRANSIT_MOUNT: mount } = config;
  const { VAULT_TOKEN: token, VAULT_TOKEN_FILE: tokenFile, VAULT_CACERT: caFile } = config;
  const { VAULT_TRANSIT_ROOT_KEY: root, VAULT_TRANSIT_ROOT_KEY_VERSION: rootVersion } = config;
  const { VAULT_TRANSIT_WRAP_KEY: wrap, VAULT_TRANSIT_WRAP_KEY_VERSION: wrapVersion } = config;
  if (
    address === undefined ||
    root === undefined ||
    rootVersion === undefined ||
    wrap === undefined ||
    wrapVersion === undefined
  )
    throw new Error('the configuration of the key vault was not checked');
  const client = new VaultClient({ address, namespace, token, tokenFile, caFile });
  const location = namespace === undefined ? mount : `${namespace}/${mount}`;
  return new VaultTransitKeyVault(new TransitEngine(client, mount), location, {
    root: { name: root, version: rootVersion },
    wrap: { name: wrap, version: wrapVersion },
  });
}
