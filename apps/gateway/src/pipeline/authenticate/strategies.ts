import type { Request } from 'express';
import { Strategy } from 'passport-strategy';
import { AppError, MINUTE_MS } from '@app/common';

type Done = (error: Error | null, result?: object | false) => void;
type Verify = (value: string, done: Done) => void;

/** A Passport strategy that verifies one credential from the request headers. */
export class HeaderStrategy extends Strategy {
  constructor(
    private readonly read: (request: Request) => string | undefined,
    private readonly verify: Verify,
  ) {
    super();
  }

  override authenticate(request: Request): void {
    const value = this.read(request);
    if (value === undefined) {
      this.fail(401);
      return;
    }
    this.verify(value, (error, result) => {
      if (error) this.error(error);
      else if (result) this.success(result);
      else this.fail(401);
    });
  }
}

/**
 * Runs one Passport strategy for one request; resolves to undefined when it rejects the credential.
 * `passport.authenticate([...])` stops at the first success and would accept an invalid key beside a valid token.
 */
export function runStrategy<Result>(strategy: Strategy, request: Request): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const run = Object.create(strategy) as Strategy;
    run.success = (result: Result) => {
      resolve(result);
    };
    run.fail = (challenge: unknown) => {
      // passport-jwt reports errors of its key provider as failures: here an AppError 503.
      if (challenge instanceof AppError) reject(challenge);
      else resolve(undefined);
    };
    run.pass = () => {
      resolve(undefined);
    };
    run.error = reject;
    run.authenticate(request);
  });
}

/** How far the clock of an issuer or a wallet may be ahead. */
export const MAX_CLOCK_SKEW_MS = MINUTE_MS;
