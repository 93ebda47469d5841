import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

/** How many signatures of contract accounts one instance has its nodes asked about. */
export const contractCheckConfigSchema = z.object({
  /** For one plan holder, or one address at our own pages, under way at once. */
  HOLDER_CONTRACT_CHECKS: envInteger(1, 1_000).default(8),
  /** For one plan holder, or one address at our own pages, begun in a minute. */
  HOLDER_CONTRACT_CHECKS_A_MINUTE: envInteger(1, 1_000_000).default(600),
  /** On one chain, under way at once: fewer than there are connections to a node. */
  CHAIN_CONTRACT_CHECKS: envInteger(1, 1_000).default(24),
  /** On one chain, begun in a minute. */
  CHAIN_CONTRACT_CHECKS_A_MINUTE: envInteger(1, 1_000_000).default(3_000),
});

export class ContractCheckConfig extends createConfigClass(contractCheckConfigSchema) {}
