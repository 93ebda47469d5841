import { invalidField } from '../common/request.errors.js';
import type { ClientType } from './entities/client-application.entity.js';
import { findPrivateUseProblem } from './redirect-uri.js';

/** @throws AppError 400 for URIs that an application of this type cannot register together */
export function checkRedirectUris(
  type: ClientType,
  uris: readonly string[] = [],
  field = 'redirectUris',
): void {
  const problem = findPrivateUseProblem(type, uris);
  if (problem !== undefined) throw invalidField('input_invalid', field, problem);
}
