import type { Queryable } from '@app/database';
import { findAccountId, freezeScope, type FreezeTarget } from './freezes.queries.js';

/** Undefined for an address of no account. */
export async function findFreezeTarget(db: Queryable, id: string): Promise<FreezeTarget | undefined> {
  const [scopeText, ...rest] = id.split(':');
  const scope = freezeScope.parse(scopeText);
  const subject = rest.join(':');
  if (scope !== 'account') return { scope, subject };
  const accountId = await findAccountId(db, subject);
  return accountId === undefined ? undefined : { scope, subject: accountId };
}

/** @param target an account has its address as subject */
export const formatFreezeId = ({ scope, subject }: FreezeTarget): string =>
  subject === '' ? scope : `${scope}:${subject}`;
