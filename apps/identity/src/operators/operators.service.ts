import {
  MAX_OPERATOR_LOGIN_AGE_SECONDS,
  operatorRequired,
  isWalletLogin,
  recentLoginRequired,
  type SignedInUser,
  walletLoginRequired,
} from '@app/auth';
import { Injectable } from '@nestjs/common';
import { type Actor, toOperatorActor } from '../applications/audit/audit-action.js';
import { OperatorConfig } from './operator.config.js';

/** Tolerates token issuers whose clocks are ahead. */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Authorizes operators: users with a configured account who signed in with it recently. */
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

  /** @throws AppError 403 for other users, and when the sign-in is too old or with a passkey */
  authorize({ id, authTime, amr }: Pick<SignedInUser, 'id' | 'authTime' | 'amr'>): Actor {
    if (!this.isOperator(id)) throw operatorRequired();
    if (!isWalletLogin(amr)) throw walletLoginRequired();
    const age = Date.now() / 1_000 - (authTime ?? -Infinity);
    if (age > MAX_OPERATOR_LOGIN_AGE_SECONDS || age < -MAX_CLOCK_SKEW_SECONDS) throw recentLoginRequired();
    return toOperatorActor(id);
  }
}
