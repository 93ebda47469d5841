export const FORM = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';

/** JSON for those who name it, a form for everybody else. */
export const answerType = (accepts: (...types: string[]) => unknown): string =>
  accepts(FORM, JSON_TYPE) === JSON_TYPE ? JSON_TYPE : FORM;

/** RFC 6749 appendix B. */
export const toForm = (answer: object): string =>
  new URLSearchParams(
    Object.entries(answer).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
