/**
 * The code of a system error, such as `ENOENT`. What tests load meets errors of another realm, where `instanceof Error` is false.
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function codeOf(error) {
  const code = isObject(error) && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** @param {unknown} error @returns {string} its message */
export const messageOf = (error) =>
  isObject(error) && 'message' in error ? String(error.message) : String(error);

/** @param {unknown} error @returns {unknown} what caused it, as `fetch` tells why nothing answers */
export const causeOf = (error) => (isObject(error) && 'cause' in error ? error.cause : undefined);

/** @param {unknown} value @returns {value is object} */
const isObject = (value) => typeof value === 'object' && value !== null;
