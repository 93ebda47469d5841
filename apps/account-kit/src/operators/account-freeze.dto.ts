import { accountFreeze, freezeId, freezeReason } from '@app/dto';
import { z } from 'zod';

export const freezeParams = z.object({
  freezeId: freezeId.meta({ example: 'chain:31337' }),
});
export type FreezeParams = z.output<typeof freezeParams>;

export const freezeRequest = z
  .strictObject({
    reason: freezeReason.meta({ description: 'For operators; callers do not see it' }),
  })
  .meta({ id: 'AccountFreezeRequest', example: { reason: 'A key was found in a log' } });
export type FreezeRequest = z.output<typeof freezeRequest>;

export const accountFreezes = z
  .object({
    items: z.array(
      accountFreeze
        .extend({ id: z.string().meta({ description: 'An account is named by its EVM address' }) })
        .meta({ id: 'AccountFreeze' }),
    ),
  })
  .meta({ id: 'AccountFreezeList' });
export type AccountFreezes = z.output<typeof accountFreezes>;
