import type { SignedInUser } from '@app/auth';
import { forbidden } from '@app/common';
import { Injectable } from '@nestjs/common';
import { type Actor, toOperatorActor } from '../audit/actor.js';
import { OperatorConfig } from './operator.config.js';

/** How long after signing in an operator may decide something. */
export const MAX_LOGIN_AGE_SECONDS = 15 * 60;

/** Clocks of those who issue tokens may be ahead of ours by this much. */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Who decides about client applications and plans: the configured accounts, shortly after they signed in. */
@Injectable()
export class OperatorsService {
  private readonly userIds: Set<string>;

  constructor(config: OperatorConfig) {
    this.userIds = config.getUserIds();
  }

  /** Whether the user is one, however long ago they signed in. */
  isOperator(userId: string): boolean {
    return this.userIds.has(userId);
  }

  /** @throws AppError 403 for who is none, or signed in too long ago */
  authorize({ id, authTime }: SignedInUser): Actor {
    if (!this.isOperator(id)) throw operatorRequired();
    const age = Date.now() / 1_000 - (authTime ?? -Infinity);
    if (age > MAX_LOGIN_AGE_SECONDS || age < -MAX_CLOCK_SKEW_SECONDS) throw recentLoginRequired();
    return toOperatorActor(id);
  }
}

const operatorRequired = () =>
  forbidden('operator_required', 'This operation is for operators of the deployment.');

const recentLoginRequired = () =>
  forbidden('recent_login_required', 'Sign in again: this needs a login of at most 15 minutes ago.', {
    maxAge: MAX_LOGIN_AGE_SECONDS,
  });
