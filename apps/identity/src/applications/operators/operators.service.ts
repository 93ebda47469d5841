import type { SignedInUser } from '@app/auth';
import { forbidden } from '@app/common';
import { Injectable } from '@nestjs/common';
import { type Actor, toOperatorActor } from '../audit/actor.js';
import { OperatorConfig } from './operator.config.js';

/** Operators must have signed in at most this long ago. */
const MAX_LOGIN_AGE_SECONDS = 15 * 60;

/** Tolerates token issuers whose clocks are ahead. */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Authorizes operators: users with a configured account who signed in recently. */
@Injectable()
export class OperatorsService {
  private readonly userIds: Set<string>;

  constructor(config: OperatorConfig) {
    this.userIds = config.getUserIds();
  }

  /** Ignores the time of the sign-in. */
  isOperator(userId: string): boolean {
    return this.userIds.has(userId);
  }

  /** @throws AppError 403 for other users, and when the sign-in is too old */
  authorize({ id, authTime }: SignedInUser): Actor {
    if (!this.isOperator(id)) throw operatorRequired();
    const age = Date.now() / 1_000 - (authTime ?? -Infinity);
    if (age > MAX_LOGIN_AGE_SECONDS || age < -MAX_CLOCK_SKEW_SECONDS) throw recentLoginRequired();
    return toOperatorActor(id);
  }
}

const operatorRequired = () =>
  forbidden('operator_required', 'Only operators of this deployment may call this operation.');

const recentLoginRequired = () =>
  forbidden(
    'recent_login_required',
    'Sign in again: this operation requires a login at most 15 minutes ago.',
    {
      maxAge: MAX_LOGIN_AGE_SECONDS,
    },
  );
