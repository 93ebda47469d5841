import { createConfigClass, envInteger } from '@app/config';
import { z } from 'zod';

const MAX_SCAN_BLOCKS = 100_000;

const logScanConfigSchema = z.object({
  LOG_SCAN_BLOCKS: envInteger(0, MAX_SCAN_BLOCKS)
    .default(0)
    .describe(
      'Newest blocks whose logs of transfers, those of batches (ERC-2309) too, are read to list the ERC-721 tokens of a contract that does not enumerate them; 0 reads none. They are read in at most 3 seconds, up to 2,000 at once: fewer of a node that serves fewer with one `eth_getLogs`. Each range takes two requests.',
    ),
});

export class LogScanConfig extends createConfigClass(logScanConfigSchema) {}
