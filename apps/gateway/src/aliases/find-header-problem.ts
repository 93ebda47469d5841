import { ALIASABLE_HEADERS, isRequestHeader } from '@app/openapi';

const aliasable = ALIASABLE_HEADERS.map((name) => name.toLowerCase());

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Headers outside the table of headers that have a meaning of their own for the gateway, for proxies or for browsers. */
const RESERVED =
  /^(?:connection|date|expect|forwarded|host|keep-alive|range|set-cookie|te|trailer|upgrade|via|(?:access-control|accept|content|if|proxy|sec|transfer|x-forwarded|x-gatehouse)-.*)$/;

/** Why a header cannot have this other name; undefined if it can. */
export function findHeaderProblem(
  alias: string,
  real: string,
  allAliases: readonly string[],
): string | undefined {
  const name = alias.toLowerCase();
  if (!NAME.test(name)) return 'must be a letter, then letters, digits or hyphens, at most 64';
  if (RESERVED.test(name) || isRequestHeader(name)) return 'is a header with a meaning of its own';
  if (allAliases.filter((one) => one.toLowerCase() === name).length > 1)
    return 'is there twice: case does not matter in names of headers';
  if (aliasable.includes(real.toLowerCase())) return undefined;
  return `must stand for one of ${aliasable.join(', ')}`;
}
