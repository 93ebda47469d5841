import { createConfigClass, loadConfig } from '@app/config';
import { z } from 'zod';

const policiesConfigSchema = z.object({
  DEFAULT_POLICY: z
    .enum(['deny', 'open'])
    .default('deny')
    .describe(
      'What smart accounts may do for client applications without a policy of their own: `deny` signs nothing, `open` everything but what is never allowed. `open` is for the local profile.',
    ),
});

export const loadDefaultPolicy = () => loadConfig(policiesConfigSchema).DEFAULT_POLICY;

export class PoliciesConfig extends createConfigClass(policiesConfigSchema) {}
