import { createConfigClass, envOrigin } from '@app/config';
import { z } from 'zod';

/** Limits of one document, redirects and all gateways included (contract.md section 8). */
export const METADATA_LIMITS = { maxBytes: 1024 * 1024, timeoutMs: 5_000 };

const MAX_GATEWAYS = 10;

const envOrigins = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
  )
  .pipe(z.array(envOrigin).max(MAX_GATEWAYS))
  .meta({ format: 'http(s) origins, comma separated' });

const metadataConfigSchema = z.object({
  IPFS_GATEWAYS: envOrigins
    .default([])
    .describe(
      'IPFS gateways for token metadata, asked in order for CARs, whose blocks are verified (contract.md section 8). Without one, metadata at `ipfs://` cannot be read.',
    ),
  IPFS_TRUSTED_GATEWAYS: envOrigins
    .default([])
    .describe('IPFS gateways whose plain answers are believed. They are asked after `IPFS_GATEWAYS`.'),
  ARWEAVE_GATEWAYS: envOrigins
    .default([])
    .describe('Arweave gateways for token metadata, asked in order. Their answers are believed.'),
});

export class MetadataConfig extends createConfigClass(metadataConfigSchema) {}
