import { AppError } from '@app/common';
import type { Request } from 'express';
import type { Strategy } from 'passport-strategy';

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
