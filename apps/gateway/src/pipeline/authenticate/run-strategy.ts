import { AppError } from '@app/common';
import type { Request } from 'express';
import type { Strategy } from 'passport-strategy';

/**
 * Runs one Passport strategy for one request, the way Passport does it, but lets the caller combine several:
 * `passport.authenticate([...])` stops at the first that succeeds and would let a bad key pass beside a good token.
 * Resolves to undefined when the strategy refuses.
 */
export function runStrategy<Result>(strategy: Strategy, request: Request): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const run = Object.create(strategy) as Strategy;
    run.success = (result: Result) => {
      resolve(result);
    };
    run.fail = (challenge: unknown) => {
      // What passport-jwt calls a failure may be a key that could not be asked for.
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
