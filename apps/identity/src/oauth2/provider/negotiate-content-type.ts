import { namesMediaType } from '@app/service';

export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded';
export const JSON_CONTENT_TYPE = 'application/json';

/** The metadata key of a client's `tokenResponse`: `form` or `json`. */
export const TOKEN_RESPONSE_METADATA = 'gatehouse:token_response';

/** What a client's `Accept` says about token responses. Undefined when it names neither format. */
export function negotiateContentType(
  accept: string | undefined,
  accepts: (...types: string[]) => unknown,
): string | undefined {
  if (!namesMediaType(accept ?? '', [FORM_CONTENT_TYPE, JSON_CONTENT_TYPE])) return undefined;
  return accepts(FORM_CONTENT_TYPE, JSON_CONTENT_TYPE) === JSON_CONTENT_TYPE
    ? JSON_CONTENT_TYPE
    : FORM_CONTENT_TYPE;
}

/** RFC 6749 appendix B. */
export const toFormBody = (fields: object): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
