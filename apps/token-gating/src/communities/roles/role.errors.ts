import { conflict, notFound } from '@app/common';

export const roleNotFound = () => notFound('role_not_found', 'The community has no such role.');

export const roleInUse = () =>
  conflict('role_rule_conflict', 'Rules of the community grant this role: take them away first.');
