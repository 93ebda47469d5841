import type { Queryable } from '@app/database';
import { z } from 'zod';
import { findAccountId, freezeScope, type FreezeTarget } from './freezes.queries.js';

const FREEZE_ID =
  /^(?:everything|account:(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})|application:[\w.-]{1,100}|(?:chain|paymaster):(?:[1-9]\d{0,15}|SOL|SOL_DEVNET))$/;

/** Names what is frozen; an account by its EVM or Solana address. */
export const freezeId = z
  .string()
  .regex(
    FREEZE_ID,
    'must be `account:` with an address, `application:` with a client id, `chain:` or `paymaster:` with a chain id or Solana network, or `everything`',
  );

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
