import type { Request } from 'express';
import type { Strategy } from 'passport-strategy';

/**
 * Runs one Passport strategy for one request, the way Passport does it, but lets the caller combine several:
 * `passport.authenticate([...])` stops at the first that succeeds and would let a bad key pass beside a good token.
 * Resolves to undefined when the strategy refuses.
 */
export function runStrategy<Result>(strategy: Strategy, request: Request): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => {
      resolve(undefined);
    };
    const run = Object.create(strategy) as Strategy;
    run.success = (result: Result) => {
      resolve(result);
    };
    run.fail = refuse;
    run.pass = refuse;
    run.error = reject;
    run.authenticate(request);
  });
}
