import type { ChainConfig, ChainRegistry } from '@app/chain/evm';
import { createConfigClass, InvalidConfigurationError } from '@app/config';
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

/** @throws InvalidConfigurationError that names the variable of each chain that lacks a node */
export function checkNodesAreNamed(
  chainIds: readonly number[],
  registry: ChainRegistry,
  { rpcUrls }: Pick<ChainConfig, 'rpcUrls'>,
): void {
  const unnamed = chainIds.filter((chainId) => !registry.find(chainId)?.rpcUrls.length);
  if (unnamed.length === 0) return;
  const lines = unnamed.map((chainId) =>
    rpcUrls.has(chainId)
      ? `  CHAINS: must have chain ${chainId} of ACCOUNT_KIT_CHAINS, which viem does not know`
      : `  RPC_URL_${chainId}: is required, because ACCOUNT_KIT_CHAINS has ${chainId}`,
  );
  throw new InvalidConfigurationError(`The environment is not usable:\n${lines.join('\n')}`);
}
