import { serviceUnavailable } from '@app/common';
import type { TokenGatingResponse } from '@app/dto';
import type { RoleVerdict } from './merge-roles.js';

/** Seconds after which a failed node may have come back. */
const RETRY_AFTER = 5;

/**
 * The synchronous answer (contract.md section 5). `errors` is there only when a role is undetermined.
 * @param held roles that are stored to be held: what is undetermined stays as it is
 * @throws AppError 503 when asking again may determine a role, unless the caller takes what there is (`lenient`).
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
        retryAfter: RETRY_AFTER,
        roles,
        errors,
      },
    );
  }
  return errors.length > 0 ? { roles, errors } : { roles };
}
