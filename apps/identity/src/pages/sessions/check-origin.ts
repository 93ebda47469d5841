import { forbidden } from '@app/common';
import type { Request } from 'express';

const originForbidden = () => forbidden('origin_forbidden', 'This request came from another site.');

/**
 * Checks that a state-changing request comes from this site, by `Origin` or `Sec-Fetch-Site`. One of them must be present,
 * and neither may contradict it.
 * @throws AppError 403
 */
export function checkOrigin({ headers }: Request, ownOrigin: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn = origin === ownOrigin || site === 'same-origin';
  if (!isOwn || (origin ?? ownOrigin) !== ownOrigin || (site ?? 'same-origin') !== 'same-origin')
    throw originForbidden();
}
