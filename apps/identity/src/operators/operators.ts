import type { SignedInUser } from '@app/auth';
import { forbidden } from '@app/common';
import { Injectable } from '@nestjs/common';
import { type Actor, asOperator } from '../audit/actor.js';
import { OperatorConfig } from './operator.config.js';

/** How long after signing in an operator may decide something. */
export const RECENT_LOGIN_SECONDS = 15 * 60;

/** Clocks of those who issue tokens may be ahead of ours by this much. */
const CLOCK_SKEW_SECONDS = 60;

/** Who decides about client applications and plans: the configured accounts, shortly after they signed in. */
@Injectable()
export class Operators {
  private readonly userIds: Set<string>;

  constructor(config: OperatorConfig) {
    this.userIds = config.userIds();
  }

  /** Whether the user is one, however long ago they signed in. */
  has(userId: string): boolean {
    return this.userIds.has(userId);
  }

  /** @throws AppError 403 for who is none, or signed in too long ago */
  actorFor({ id, authTime }: SignedInUser): Actor {
    if (!this.has(id)) throw notAnOperator();
    const age = Date.now() / 1_000 - (authTime ?? -Infinity);
    if (age > RECENT_LOGIN_SECONDS || age < -CLOCK_SKEW_SECONDS) throw loginTooOld();
    return asOperator(id);
  }
}

const notAnOperator = () =>
  forbidden('operator_needed', 'This operation is for operators of the deployment.');

const loginTooOld = () =>
  forbidden('recent_login_needed', 'Sign in again: this needs a login of at most 15 minutes ago.', {
    maxAge: RECENT_LOGIN_SECONDS,
  });
