import { createConfigClass } from '@app/config';
import { envCidrs } from '@app/http';
import { z } from 'zod';

export const safeFetcherConfigSchema = z.object({
  /** Private networks that callbacks and token lists may reach, over http too (contract.md section 5). */
  CALLBACK_ALLOW_CIDRS: envCidrs.default([]),
});

export class SafeFetcherConfig extends createConfigClass(safeFetcherConfigSchema) {}
