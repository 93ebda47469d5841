import { createPageSchema } from '@app/dto';
import { z } from 'zod';
import { communityParams } from '../../communities/access/community-record.js';

export const balanceCheckParams = communityParams.extend({
  id: z.string().min(1).max(128).meta({ example: '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11' }),
});
export type BalanceCheckParams = z.output<typeof balanceCheckParams>;

const count = z.int().nonnegative();

export const balanceCheck = z
  .object({
    id: z.uuid(),
    communityId: z.string(),
    reason: z.enum(['scheduled', 'requested']),
    state: z.enum(['running', 'done']),
    total: count.meta({
      description: 'Members when the check began; users who join later are checked when they join',
    }),
    done: count.meta({ description: 'Members checked so far' }),
    changed: count.meta({ description: 'Roles granted or revoked' }),
    failed: count.meta({ description: 'Members with undetermined roles, which stay unchanged' }),
    createdTime: z.iso.datetime(),
    finishedTime: z.iso.datetime().optional(),
  })
  .meta({
    id: 'BalanceCheck',
    description:
      'A check of all members of a community. It restarts when the rules change meanwhile, which resets `done` and ' +
      '`failed`.',
  });
export type BalanceCheck = z.output<typeof balanceCheck>;

export const balanceCheckPage = createPageSchema(balanceCheck, 'BalanceCheckPage');
export type BalanceCheckPage = z.output<typeof balanceCheckPage>;
