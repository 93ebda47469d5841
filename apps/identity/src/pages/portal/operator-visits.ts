import { AppError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../../audit/actor.js';
import { Operators } from '../../operators/operators.js';
import { SignInNeeded } from '../session/sign-in-needed.js';
import type { SignedIn } from '../../browser-sessions/signed-in.js';

/** Operators at the portal: the same rules as for operators with a token. */
@Injectable()
export class OperatorVisits {
  constructor(private readonly operators: Operators) {}

  /** @throws SignInNeeded for an operator who signed in too long ago; AppError 403 for who is none */
  actorFor({ userId, account, signedInAt }: SignedIn, path: string): Actor {
    const authTime = Math.floor(signedInAt.getTime() / 1_000);
    try {
      return this.operators.actorFor({ id: userId, account, authTime });
    } catch (error) {
      if (error instanceof AppError && error.details['code'] === 'recent_login_needed')
        throw new SignInNeeded(path, true);
      throw error;
    }
  }
}
