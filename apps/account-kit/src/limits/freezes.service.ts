import { Database, type Queryable } from '@app/database';
import type { AccountFreeze } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { freezeNotFound, frozenAccountNotFound } from './freezes.errors.js';
import {
  findAccountId,
  freeze,
  freezeScope,
  type FreezeTarget,
  listFreezes,
  unfreeze,
} from './freezes.queries.js';

/** @returns undefined for the address of no account */
async function findFreezeTarget(db: Queryable, id: string): Promise<FreezeTarget | undefined> {
  const [scopeText, ...rest] = id.split(':');
  const scope = freezeScope.parse(scopeText);
  const subject = rest.join(':');
  if (scope !== 'account') return { scope, subject };
  const accountId = await findAccountId(db, subject);
  return accountId === undefined ? undefined : { scope, subject: accountId };
}

/** @param target an account has its address as subject */
const formatFreezeId = ({ scope, subject }: FreezeTarget): string =>
  subject === '' ? scope : `${scope}:${subject}`;

/** Freezes by operators. */
@Injectable()
export class FreezesService {
  constructor(private readonly database: Database) {}

  /** Oldest first. */
  async list(): Promise<AccountFreeze[]> {
    const freezes = await listFreezes(this.database);
    return freezes.map(({ scope, subject, address, reason, frozenAt }) => ({
      id: formatFreezeId({ scope, subject: address ?? subject }),
      scope,
      reason,
      frozenAt: frozenAt.toISOString(),
    }));
  }

  /**
   * Freezes an account. When the promise resolves, nothing more of the account is signed or stored as sent.
   * @throws AppError 404 for an unknown account
   */
  async set(id: string, reason: string): Promise<void> {
    await freeze(this.database, await this.loadTarget(id), reason);
  }

  /** @throws AppError 404 */
  async remove(id: string): Promise<void> {
    if (!(await unfreeze(this.database, await this.loadTarget(id)))) throw freezeNotFound();
  }

  /** @throws AppError 404 for an unknown account */
  async loadTarget(id: string): Promise<FreezeTarget> {
    const target = await findFreezeTarget(this.database, id);
    if (target === undefined) throw frozenAccountNotFound();
    return target;
  }
}
