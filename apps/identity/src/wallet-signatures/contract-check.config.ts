import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

/** Limits of one instance on signature checks by contract wallets. */
export const contractCheckConfigSchema = z.object({
  /** Concurrent checks for one tenant, or for one IP address on the login pages. */
  HOLDER_CONTRACT_CHECKS: envInteger(1, 1_000).default(8),
  /** Checks per minute for one tenant, or for one IP address on the login pages. */
  HOLDER_CONTRACT_CHECKS_A_MINUTE: envInteger(1, 1_000_000).default(600),
  /** Concurrent checks on one chain. Keep it below the number of connections to a node. */
  CHAIN_CONTRACT_CHECKS: envInteger(1, 1_000).default(24),
  /** Checks per minute on one chain. */
  CHAIN_CONTRACT_CHECKS_A_MINUTE: envInteger(1, 1_000_000).default(3_000),
});

export class ContractCheckConfig extends createConfigClass(contractCheckConfigSchema) {}
