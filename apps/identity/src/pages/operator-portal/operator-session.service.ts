import { AppError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../applications/audit/actor.js';
import { OperatorsService } from '../../applications/operators/operators.service.js';
import { SignInRequiredError } from '../sessions/page-session.errors.js';
import type { SessionUser } from '../../browser-sessions/browser-session-store.js';

/** Operators at the portal: the same rules as for operators with a token. */
@Injectable()
export class OperatorSessionService {
  constructor(private readonly operators: OperatorsService) {}

  /** @throws SignInNeeded for an operator who signed in too long ago; AppError 403 for who is none */
  getActor({ userId, account, signedInAt }: SessionUser, path: string): Actor {
    const authTime = Math.floor(signedInAt.getTime() / 1_000);
    try {
      return this.operators.authorize({ id: userId, account, authTime });
    } catch (error) {
      if (error instanceof AppError && error.details['code'] === 'recent_login_required')
        throw new SignInRequiredError(path, true);
      throw error;
    }
  }
}
