import openapiTypescript, { astToString } from 'openapi-typescript';

/** @import { OpenApiDocument } from '../../libs/openapi/src/index.js' */

/** @typedef {Record<string, { callbacks?: unknown, responses: Record<string, { headers?: unknown }> }>} Operations of one path */

const HEADER = `/**
 * The operations of the API and the codes of its errors, generated from libs/openapi/openapi.json and the error factories by
 * \`npm run contract\`.
 */
`;

/**
 * Makes the module of types that the client is built on. Answers that are errors are left out: one class has them all. So are their
 * headers, which would be two thirds of the module.
 * @param {OpenApiDocument} document
 * @param {string[]} codes of errors
 * @returns {Promise<string>}
 */
export async function createClientTypes(document, codes) {
  const copy = structuredClone(document);
  for (const path of /** @type {Operations[]} */ (Object.values(copy.paths)))
    for (const operation of Object.values(path)) {
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
  return `${HEADER}\n${astToString(nodes)}\n/** What a program decides by (docs/errors.md). */\nexport type ErrorCode =${union};\n`;
}
