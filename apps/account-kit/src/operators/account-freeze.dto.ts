import { z } from 'zod';
import { freezeId } from '../freezes/freeze-id.js';
import { freezeScope } from '../freezes/freezes.queries.js';

export const freezeParams = z.object({
  freezeId: freezeId.meta({ example: 'chain:31337' }),
});
export type FreezeParams = z.output<typeof freezeParams>;

export const MAX_REASON_LENGTH = 500;

export const freezeRequest = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .min(1)
      .max(MAX_REASON_LENGTH)
      .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters')
      .meta({ description: 'For operators; callers do not see it' }),
  })
  .meta({ id: 'AccountFreezeRequest', example: { reason: 'A key was found in a log' } });
export type FreezeRequest = z.output<typeof freezeRequest>;

export const accountFreezes = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string().meta({ description: 'An account is named by its EVM address' }),
          scope: freezeScope,
          reason: z.string(),
          frozenAt: z.iso.datetime(),
        })
        .meta({ id: 'AccountFreeze' }),
    ),
  })
  .meta({ id: 'AccountFreezeList' });
export type AccountFreezes = z.output<typeof accountFreezes>;
