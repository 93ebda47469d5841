import { serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';
import type { TokenGatingResponse } from '@app/dto';
import type { RoleVerdict } from './merge-roles.js';

/**
 * The synchronous response (contract.md section 5). `errors` is present only when a role is undetermined.
 * @param held ids of roles that the member has in storage; undetermined roles keep that state
 * @throws AppError 503 when a retry may determine a role, unless `lenient`
 */
export function toTokenGatingResponse(
  verdicts: readonly RoleVerdict[],
  lenient: boolean,
  held?: ReadonlySet<string>,
): TokenGatingResponse {
  const roles = verdicts.map(({ id, kind }) => ({
    id,
    granted: kind === 'granted' || (kind === 'undetermined' && held?.has(id) === true),
  }));
  const errors = verdicts.flatMap((verdict) => verdict.errors);
  if (!lenient && errors.some(({ retryable }) => retryable)) {
    throw serviceUnavailable(
      'roles_unavailable',
      'Some roles could not be determined, because what they depend on did not answer.',
      {
        retryAfter: RETRY_AFTER_SECONDS.upstream,
        roles,
        errors,
      },
    );
  }
  return errors.length > 0 ? { roles, errors } : { roles };
}
