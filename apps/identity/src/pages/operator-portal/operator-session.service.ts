import { AppError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../applications/audit/audit-action.js';
import { OperatorsService } from '../../operators/operators.service.js';
import { SignInRequiredError } from '../sessions/page-session.errors.js';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';

/** Refusals that a new login with the wallet ends. */
const NEW_LOGIN_CODES = new Set<unknown>(['recent_login_required', 'wallet_login_required']);

/** Authorizes operators in the portal by the same rules as operators with a token. */
@Injectable()
export class OperatorSessionService {
  constructor(private readonly operators: OperatorsService) {}

  /** @throws SignInRequiredError for an operator whose login is too old or with a passkey; AppError 403 for other users */
  getActor({ userId, signedInAt, amr }: SessionUser, path: string): Actor {
    const authTime = Math.floor(signedInAt.getTime() / 1_000);
    try {
      return this.operators.authorize({ id: userId, authTime, amr: amr ?? undefined });
    } catch (error) {
      if (error instanceof AppError && NEW_LOGIN_CODES.has(error.details['code']))
        throw new SignInRequiredError(path, true);
      throw error;
    }
  }
}
