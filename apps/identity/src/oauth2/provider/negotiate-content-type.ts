export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded';
export const JSON_CONTENT_TYPE = 'application/json';

/** JSON for those who name it, a form for everybody else. */
export const negotiateContentType = (accepts: (...types: string[]) => unknown): string =>
  accepts(FORM_CONTENT_TYPE, JSON_CONTENT_TYPE) === JSON_CONTENT_TYPE ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE;

/** RFC 6749 appendix B. */
export const toFormBody = (answer: object): string =>
  new URLSearchParams(
    Object.entries(answer).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
