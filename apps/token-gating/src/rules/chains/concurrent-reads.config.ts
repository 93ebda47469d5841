import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

/**
 * The least of the setting: twice what one request may need, so that the share of a tenant holds the largest request.
 */
const MIN_CONCURRENT_READS = 40_000;

const concurrentReadsConfigSchema = z.object({
  MAX_CONCURRENT_READS: envInteger(MIN_CONCURRENT_READS, 10_000_000)
    .default(MIN_CONCURRENT_READS)
    .describe(
      'Chain reads of requests and asynchronous checks in progress in one process, half of it for one tenant: the memory that they may take.',
    ),
});

export class ConcurrentReadsConfig extends createConfigClass(concurrentReadsConfigSchema) {}
