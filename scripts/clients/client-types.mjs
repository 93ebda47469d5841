import openapiTypescript, { astToString } from 'openapi-typescript';

/** @import { OpenApiDocument } from '../../libs/openapi/src/index.js' */

/** @typedef {Record<string, { callbacks?: unknown, responses: Record<string, { headers?: unknown, 'x-error-codes'?: string[] }> }>} Operations of one path */

const HEADER = `/**
 * The operations of the API and the codes of its errors, generated from libs/openapi/openapi.json and the error factories by
 * \`npm run contract\`.
 */
`;

const KEY_CONFLICT = 'idempotency_key_conflict';

/**
 * Makes the module of types that the client is built on. Answers that are errors are left out: one class has them all. So are their
 * headers, which would be two thirds of the module.
 * @param {OpenApiDocument} document
 * @param {string[]} codes of errors
 * @returns {Promise<string>}
 */
export async function createClientTypes(document, codes) {
  const copy = structuredClone(document);
  /** @type {string[]} */
  const keyed = [];
  for (const [path, operations] of /** @type {[string, Operations][]} */ (Object.entries(copy.paths)))
    for (const [method, operation] of Object.entries(operations)) {
      // The document declares no optional headers. Operations that read this one refuse a key that another request had.
      if (
        Object.values(operation.responses).some((answer) => answer['x-error-codes']?.includes(KEY_CONFLICT))
      )
        keyed.push(`${method.toUpperCase()} ${path}`);
      delete operation.callbacks;
      const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      for (const [, answer] of successes) delete answer.headers;
      operation.responses = Object.fromEntries(successes);
    }
  const { schemas } = copy.components;
  const nodes = await openapiTypescript(JSON.stringify({ ...copy, components: { schemas } }), {
    alphabetize: false,
  });
  const union = codes.map((code) => `\n  | '${code}'`).join('');
  return `${HEADER}
${astToString(nodes)}
/** What a program decides by (docs/errors.md). */
export type ErrorCode =${union};
${createList(keyed)}`;
}

/** @param {string[]} routes that read `Idempotency-Key` */
const createList = (routes) =>
  [
    '',
    '/** Operations that read the header `Idempotency-Key`. Every other one ignores it. */',
    'export const IDEMPOTENCY_KEY_ROUTES = [',
    ...routes.map((route) => `  '${route}',`),
    '] as const;',
    '',
  ].join('\n');
