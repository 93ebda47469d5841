import { envSecret, loadConfig, serviceConfigSchema } from '@app/config';
import { isSecp256k1Native } from '@app/chain/keys';
import { z } from 'zod';
import {
  listVaultTransitProblems,
  REQUIRED_FOR_VAULT_TRANSIT,
  vaultTransitConfigSchema,
} from './vaults/vault-transit.config.js';

/** Aliases are refused: one that is moved to another key changes the keys of all accounts. */
const kmsKey = z
  .string()
  .regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'must be the ARN of a key')
  .meta({ format: '`arn:aws:kms:…:key/…`' });

const keyVaultConfigSchema = z.object({
  ACCOUNT_KEY_VAULT: z
    .enum(['local', 'aws-kms', 'vault-transit'])
    .optional()
    .describe(
      'Where the root of account keys is: `local` derives them from ACCOUNT_KEY_SECRET, `aws-kms` from a key that never leaves AWS KMS, `vault-transit` from one that never leaves HashiCorp Vault. Without it `local`; required in production, where it is a decision.',
    ),
  ACCOUNT_KEY_VAULT_PREVIOUS: z
    .enum(['aws-kms', 'vault-transit'])
    .optional()
    .describe(
      'Earlier ACCOUNT_KEY_VAULT, with its variables, whose accounts go on signing. It can be removed after `npm run gatehouse -- keys materialize` and `rewrap`. For `local` see ACCOUNT_KEY_SECRET_PREVIOUS.',
    ),
  ACCOUNT_KEY_SECRET: envSecret
    .optional()
    .describe(
      'Root of the keys of all smart accounts, required for `local`. It must never be lost: the addresses depend on it. To replace it see ACCOUNT_KEY_SECRET_PREVIOUS.',
    ),
  ACCOUNT_KEY_SECRET_PREVIOUS: envSecret
    .optional()
    .describe(
      'Earlier ACCOUNT_KEY_SECRET, whose accounts go on signing. It can be removed after `npm run gatehouse -- keys materialize` and `rewrap`.',
    ),
  KMS_ROOT_KEY_ID: kmsKey
    .optional()
    .describe(
      'Key of AWS KMS that is the root of all account keys, required for `aws-kms`: HMAC_256. The addresses depend on it.',
    ),
  KMS_WRAP_KEY_ID: kmsKey
    .optional()
    .describe('Key of AWS KMS that seals stored keys, required for `aws-kms`: SYMMETRIC_DEFAULT.'),
  ...vaultTransitConfigSchema.shape,
  ACCOUNT_KEY_JS_SIGNING: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'Whether keys of secp256k1 may sign in JavaScript in production, where the native library cannot be loaded: about 20 times slower, and not in constant time.',
    ),
});

const REQUIRED = {
  local: ['ACCOUNT_KEY_SECRET'],
  'aws-kms': ['KMS_ROOT_KEY_ID', 'KMS_WRAP_KEY_ID'],
  'vault-transit': REQUIRED_FOR_VAULT_TRANSIT,
} as const;

const checkedSchema = keyVaultConfigSchema
  .extend({ NODE_ENV: serviceConfigSchema.shape.NODE_ENV })
  .superRefine((config, context) => {
    const { NODE_ENV, ACCOUNT_KEY_VAULT, ACCOUNT_KEY_VAULT_PREVIOUS: previous } = config;
    const isProduction = NODE_ENV === 'production';
    const vaults = [ACCOUNT_KEY_VAULT ?? 'local', ...(previous === undefined ? [] : [previous])] as const;
    const require = (name: string, message: string) => {
      context.addIssue({ code: 'custom', path: [name], message });
    };
    if (isProduction && ACCOUNT_KEY_VAULT === undefined)
      require('ACCOUNT_KEY_VAULT', 'is required in production: `local` keeps the root in the environment');
    if (isProduction && !isSecp256k1Native && config.ACCOUNT_KEY_JS_SIGNING === 'off')
      require('ACCOUNT_KEY_JS_SIGNING', 'must be `on` where the native library of secp256k1 cannot be loaded, as here');
    if (previous !== undefined && previous === ACCOUNT_KEY_VAULT)
      require('ACCOUNT_KEY_VAULT_PREVIOUS', 'must be another vault than ACCOUNT_KEY_VAULT');
    for (const vault of vaults)
      for (const name of REQUIRED[vault])
        if (config[name] === undefined) require(name, `is required for \`${vault}\``);
    if (vaults.includes('vault-transit'))
      for (const [name, message] of listVaultTransitProblems(config, { isProduction }))
        require(name, message);
  });

/** Loads the secrets of the key vault, which only the signer process keeps. */
export const loadKeyVaultConfig = () => loadConfig(checkedSchema);

/** Checks the configuration at start. The root is not kept: requests are served in this process. */
export class KeyVaultConfig {
  static readonly configSchema = keyVaultConfigSchema;

  constructor() {
    loadKeyVaultConfig();
  }
}
