import { createPageSchema } from '@app/dto';
import { z } from 'zod';
import { communityParams } from '../../communities/access/community-params.js';

export const balanceCheckParams = communityParams.extend({ id: z.string().min(1).max(128) });
export type BalanceCheckParams = z.output<typeof balanceCheckParams>;

const count = z.int().nonnegative();

export const balanceCheck = z
  .object({
    id: z.uuid(),
    communityId: z.string(),
    reason: z.enum(['scheduled', 'requested']),
    state: z.enum(['running', 'done']),
    total: count.meta({ description: 'Members when it began; who joins later is checked then' }),
    done: count.meta({ description: 'Members looked at so far' }),
    changed: count.meta({ description: 'Roles that were granted or revoked' }),
    failed: count.meta({ description: 'Members with roles that could not be told; those stay as they were' }),
    createdTime: z.iso.datetime(),
    finishedTime: z.iso.datetime().optional(),
  })
  .meta({
    id: 'BalanceCheck',
    description:
      'A check of all members of a community. It begins again when rules change meanwhile, and counts `done` and ' +
      '`failed` from there.',
  });
export type BalanceCheck = z.output<typeof balanceCheck>;

export const balanceCheckPage = createPageSchema(balanceCheck, 'BalanceCheckPage');
export type BalanceCheckPage = z.output<typeof balanceCheckPage>;
