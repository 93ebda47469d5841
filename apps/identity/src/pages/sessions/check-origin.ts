import { forbidden } from '@app/common';
import type { Request } from 'express';

const crossSite = () => forbidden('origin_forbidden', 'This request came from another site.');

/**
 * What changes something comes from a page of ours. Browsers say so in two ways; one is enough, and none may say
 * otherwise.
 * @throws AppError 403
 */
export function checkOrigin({ headers }: Request, ownOrigin: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn = origin === ownOrigin || site === 'same-origin';
  if (!isOwn || (origin ?? ownOrigin) !== ownOrigin || (site ?? 'same-origin') !== 'same-origin')
    throw crossSite();
}
