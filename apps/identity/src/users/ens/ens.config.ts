import { createConfigClass, envInteger } from '@app/config';
import { evmAddress } from '@app/dto';
import { envCidrs } from '@app/http';
import { z } from 'zod';

const ensConfigSchema = z.object({
  ENS_CHAIN_ID: envInteger(1, Number.MAX_SAFE_INTEGER)
    .default(1)
    .describe(
      'The chain of ENS. Users are shown by their ENS names where `RPC_URL_<chainId>` of this chain is set.',
    ),
  ENS_UNIVERSAL_RESOLVER: evmAddress.optional().meta({
    description: 'The Universal Resolver of ENS on that chain: the one of chain 1, unless set.',
    format: 'address',
  }),
  ENS_LOOKUPS_PER_MINUTE: envInteger(1, 100_000)
    .default(300)
    .describe(
      'Look-ups of ENS names by one instance, which strangers with new wallets can bring about. One takes 2 requests to `RPC_URL_<ENS_CHAIN_ID>`, at most 8: leave the rest of what its provider allows to role checks.',
    ),
  ENS_GATEWAY_ALLOW_CIDRS: envCidrs
    .default([])
    .describe(
      'Private networks in which gateways of ENS names (CCIP-Read) may be: none in production, because owners of names choose the gateways.',
    ),
});

export class EnsConfig extends createConfigClass(ensConfigSchema) {}
