import type { RoleVerdict } from '../check-roles/merge-roles.js';

/** What can be told of a role by rules of another build, which this one cannot read: nothing, however often it is asked. */
export const unreadable = (id: string): RoleVerdict => ({
  id,
  kind: 'undetermined',
  errors: [
    {
      roleId: id,
      rule: 0,
      name: 'UnreadableRulesError',
      message: 'the rules of the community cannot be read; an administrator can write them anew',
      retryable: false,
    },
  ],
});
