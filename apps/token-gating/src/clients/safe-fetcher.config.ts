import { createConfigClass } from '@app/config';
import { envCidrs } from '@app/http';
import { z } from 'zod';

const safeFetcherConfigSchema = z.object({
  CALLBACK_ALLOW_CIDRS: envCidrs
    .default([])
    .describe(
      'Private networks that callbacks and token lists may reach, also over http (contract.md section 5). Metadata addresses are never allowed.',
    ),
});

export class SafeFetcherConfig extends createConfigClass(safeFetcherConfigSchema) {}
