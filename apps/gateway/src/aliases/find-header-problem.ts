/** Headers that may have another name, in lower case. `Authorization` is not one: a proxy in front may read it, too. */
const RENAMED_HEADERS = ['x-api-key', 'x-bot-token', 'x-access-token', 'idempotency-key', 'prefer'];

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Headers with a meaning of their own for the gateway, for proxies or for browsers. */
const RESERVED =
  /^(?:accept|authorization|connection|cookie|date|expect|forwarded|host|keep-alive|origin|range|referer|set-cookie|te|traceparent|tracestate|trailer|upgrade|user-agent|via|x-request-id|(?:access-control|accept|content|if|proxy|sec|transfer|x-forwarded|x-gatehouse)-.*)$/;

/** Why a header cannot have this other name; undefined if it can. */
export function findHeaderProblem(
  alias: string,
  real: string,
  allAliases: readonly string[],
): string | undefined {
  const name = alias.toLowerCase();
  if (!NAME.test(name)) return 'must be a letter, then letters, digits or hyphens, at most 64';
  if (RESERVED.test(name) || RENAMED_HEADERS.includes(name)) return 'is a header with a meaning of its own';
  if (allAliases.filter((one) => one.toLowerCase() === name).length > 1)
    return 'is there twice: case does not matter in names of headers';
  if (RENAMED_HEADERS.includes(real.toLowerCase())) return undefined;
  return `must stand for one of ${RENAMED_HEADERS.join(', ')}`;
}
