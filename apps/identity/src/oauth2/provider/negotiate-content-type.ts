export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded';
export const JSON_CONTENT_TYPE = 'application/json';

/** JSON for clients that prefer it in `Accept`, a form for all others. */
export const negotiateContentType = (accepts: (...types: string[]) => unknown): string =>
  accepts(FORM_CONTENT_TYPE, JSON_CONTENT_TYPE) === JSON_CONTENT_TYPE ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE;

/** RFC 6749 appendix B. */
export const toFormBody = (fields: object): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
