import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

/** Limits of one instance on signature checks by contract wallets. */
const contractCheckConfigSchema = z.object({
  TENANT_CONTRACT_CHECKS: envInteger(1, 1_000).default(8).meta({
    description:
      'Contract wallet signatures that an instance verifies at once for one tenant, or for one IP address at the login page. Users, without an API key, get at most half of it. Above it 429.',
    formerName: 'HOLDER_CONTRACT_CHECKS',
  }),
  TENANT_CONTRACT_CHECKS_A_MINUTE: envInteger(1, 1_000_000).default(600).meta({
    description:
      'Contract wallet signatures that an instance begins to verify within a minute for one tenant, or for one IP address at the login page. Users, without an API key, get at most half of it. Above it 429.',
    formerName: 'HOLDER_CONTRACT_CHECKS_A_MINUTE',
  }),
  CHAIN_CONTRACT_CHECKS: envInteger(1, 1_000)
    .default(24)
    .describe(
      'Contract wallet signatures that an instance verifies at once on one chain. Above it 429. Keep it below the number of connections to a node.',
    ),
  CHAIN_CONTRACT_CHECKS_A_MINUTE: envInteger(1, 1_000_000)
    .default(3_000)
    .describe(
      'Contract wallet signatures that an instance begins to verify within a minute on one chain. Above it 429.',
    ),
});

export class ContractCheckConfig extends createConfigClass(contractCheckConfigSchema) {}
