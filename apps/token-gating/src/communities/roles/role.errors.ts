import { conflict, notFound } from '@app/common';

export const roleNotFound = () => notFound('role_not_found', 'The community has no such role.');

export const roleInUse = () =>
  conflict('role_rule_conflict', 'A rule of the community grants this role: remove the rule first.');
