import { describeVariable } from '@app/config';
import { expect, it } from '@jest/globals';
import type { z } from 'zod';
import { PaymasterConfig } from '../../evm/paymaster.config.js';
import { SolanaSponsorConfig } from '../../solana/messages/solana-sponsor.config.js';
import { ExecutorKeysConfig } from '../executor-keys.config.js';
import { KeyVaultConfig } from '../key-vault.config.js';
import { CHILD_VARIABLES } from './signer-process.js';

it('SignerProcess: takes every secret of keys, sponsors and vaults out of the environment of its parent', () => {
  const schemas = [KeyVaultConfig, ExecutorKeysConfig, PaymasterConfig, SolanaSponsorConfig].map(
    ({ configSchema }) => configSchema.shape,
  );
  const secrets = schemas
    .flatMap((shape) => Object.entries<z.ZodType>(shape))
    .filter(([name, schema]) => describeVariable(name, schema).secret === 'yes')
    .map(([name]) => name);
  expect(secrets).toContain('VAULT_TOKEN');
  expect(secrets.filter((name) => !CHILD_VARIABLES.includes(name))).toEqual([]);
});
