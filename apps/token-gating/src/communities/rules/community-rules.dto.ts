import { roleRules, rawRoleRule } from '@app/dto';
import { z } from 'zod';

/** The whole list; what it means is read from what is written. */
export const communityRules = z.strictObject({ rules: roleRules }).meta({
  id: 'CommunityRules',
  description: 'All rules of a community; at most 500, those within others counted.',
});
export type CommunityRules = z.output<typeof communityRules>;

export const writtenCommunityRules = z
  .object({ rules: z.array(rawRoleRule) })
  .meta({ id: 'WrittenCommunityRules' });
export type WrittenCommunityRules = z.output<typeof writtenCommunityRules>;
