import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const openSeaConfigSchema = z.object({
  OPENSEA_API_KEY: z.string().min(1).optional().meta({
    description: 'Key of the OpenSea API. Without it rules of the type OPEN_SEA are rejected.',
    format: 'text',
    secret: true,
  }),
  OPENSEA_API_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.opensea.io/api/v2')
    .meta({
      description:
        'Version 2 of the OpenSea API. Must be https, unless its address is in `CALLBACK_ALLOW_CIDRS`.',
      format: 'http(s) URL',
    }),
  OPENSEA_REQUESTS_PER_MINUTE: envInteger(1, 100_000)
    .default(60)
    .describe(
      'Requests of one instance to OpenSea. The limit of the key, divided by the number of instances.',
    ),
});

export class OpenSeaConfig extends createConfigClass(openSeaConfigSchema) {}
