import { envSecret, loadConfig, serviceConfigSchema } from '@app/config';
import { z } from 'zod';

export const keyVaultConfigSchema = z.object({
  ACCOUNT_KEY_VAULT: z
    .enum(['local'])
    .optional()
    .describe(
      'Where the root of account keys is: `local` derives them from ACCOUNT_KEY_SECRET. Required in production, where it is a decision.',
    ),
  ACCOUNT_KEY_SECRET: envSecret.describe(
    'Root of the keys of all smart accounts. It must never be lost: the addresses depend on it. To replace it see ACCOUNT_KEY_SECRET_PREVIOUS.',
  ),
  ACCOUNT_KEY_SECRET_PREVIOUS: envSecret
    .optional()
    .describe(
      'Earlier ACCOUNT_KEY_SECRET, whose accounts go on signing. It can be removed after `npm run keys -- materialize` and `rewrap`.',
    ),
});

const checkedSchema = keyVaultConfigSchema
  .extend({ NODE_ENV: serviceConfigSchema.shape.NODE_ENV })
  .refine(({ NODE_ENV, ACCOUNT_KEY_VAULT }) => NODE_ENV !== 'production' || ACCOUNT_KEY_VAULT !== undefined, {
    path: ['ACCOUNT_KEY_VAULT'],
    error: 'is required in production: `local` keeps the root in the environment',
  });

/** Only the signer process keeps what this returns. */
export const loadKeyVaultConfig = () => loadConfig(checkedSchema);

/** Checks the configuration at start. The root is not kept: requests are served in this process. */
export class KeyVaultConfig {
  static readonly configSchema = keyVaultConfigSchema;

  constructor() {
    loadKeyVaultConfig();
  }
}
