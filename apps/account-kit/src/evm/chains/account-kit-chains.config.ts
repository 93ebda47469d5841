import { createConfigClass } from '@app/config';
import { z } from 'zod';

const chainIds = z
  .string()
  .regex(/^[1-9]\d{0,15}(,[1-9]\d{0,15})*$/, 'must be EVM chain ids, comma separated')
  .transform((text) => [...new Set(text.split(',').map(Number))])
  .pipe(z.array(z.int()).max(100));

const accountKitChainsConfigSchema = z.object({
  ACCOUNT_KIT_CHAINS: chainIds.default([]).meta({
    description:
      'Chains on which smart accounts act. Each needs `RPC_URL_<chainId>` (or `rpcUrls` in `CHAINS`), and a way to send user operations.',
    format: 'EVM chain ids, comma separated',
  }),
});

export class AccountKitChainsConfig extends createConfigClass(accountKitChainsConfigSchema) {}
