import { loadConfig } from '@app/config';
import { z } from 'zod';

const privateKeys = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .pipe(z.array(z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex')])))
  .refine((keys) => new Set(keys).size === keys.length, 'must be different keys');

const executorKeysConfigSchema = z.object({
  EXECUTOR_KEYS: privateKeys.default([]).meta({
    description:
      'Private keys of own executors, whose accounts pay the gas of user operations. One for each instance that sends at the same time.',
    format: '32 bytes in hex with 0x, comma separated',
    secret: true,
  }),
});

/** Loads the keys of executors, which only the signer process keeps. */
export const loadExecutorKeys = () => loadConfig(executorKeysConfigSchema).EXECUTOR_KEYS;

/** Checks the configuration at start. The keys are not kept: requests are served in this process. */
export class ExecutorKeysConfig {
  static readonly configSchema = executorKeysConfigSchema;

  /** Read before the signer process starts, which removes the keys from the environment of this process. */
  readonly hasKeys = loadExecutorKeys().length > 0;
}
