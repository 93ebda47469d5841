// Runs generic OpenAPI clients in a process of their own, as stdin says: each loads the document from the gateway and makes calls by tag and
// operation id, with positional arguments, the body last, and credentials by the name of their scheme.
// The argument is the client: `swagger-client`, as a new user gets it, or `swagger-client-3.18`, the last version without the parsers of
// OpenAPI 3.1, which loads in a tenth of the time.
import { text } from 'node:stream/consumers';
import { messageOf } from '../../scripts/processes/error-facts.mjs';
import { importFromTool } from '../../scripts/build/tools.mjs';

/**
 * @typedef {{ __originalOperationId?: string, parameters?: { name: string }[] }} Operation
 * @typedef {{ paths: Record<string, Record<string, Operation>> }} Document
 * @typedef {(values: Record<string, unknown>, options: { requestBody?: unknown }) => Promise<{ status: number }>} Call
 * @typedef {{ spec: Document, apis: Record<string, Record<string, Call>> }} Client
 * @typedef {((options: object) => Promise<Client>) & { resolve: (options: { url: string }) => Promise<{ spec: Document }> }} MakeClient
 * @typedef {{ url: string, authorizations: object, calls: Record<string, unknown[]> }} Wanted
 */

/** @type {{ default: MakeClient }} */
const { default: SwaggerClient } = await importFromTool('openapi-clients', process.argv[2]);
/** @type {Map<string, Promise<Document>>} */
const documents = new Map();
/** @param {string} url */
const documentAt = (url) => {
  const known = documents.get(url);
  if (known !== undefined) return known;
  const loaded = SwaggerClient.resolve({ url }).then(({ spec }) => spec);
  documents.set(url, loaded);
  return loaded;
};

/** @param {unknown} error @returns {error is { status: unknown }} */
const hasStatus = (error) =>
  typeof error === 'object' && error !== null && 'status' in error && error.status !== undefined;

/** @param {Wanted} options */
async function statusesOf({ url, authorizations, calls }) {
  const client = await SwaggerClient({ spec: await documentAt(url), url, authorizations });
  const operations = Object.values(client.spec.paths).flatMap((methods) => Object.values(methods));
  /** @type {Record<string, unknown>} */
  const statuses = {};
  for (const [id, args] of Object.entries(calls)) {
    const [tag = '', method = ''] = id.split('.');
    const call = client.apis[tag]?.[`${tag}_${method}`];
    if (call === undefined) throw new Error(`The document has no operation ${id}`);
    const { parameters = [] } =
      operations.find(({ __originalOperationId: original }) => original === id) ?? {};
    const values = Object.fromEntries(parameters.map(({ name }, index) => [name, args[index]]));
    const body = args[parameters.length];
    statuses[id] = await call(values, body === undefined ? {} : { requestBody: body }).then(
      ({ status }) => status,
      (/** @type {unknown} */ error) => (hasStatus(error) ? error.status : messageOf(error)),
    );
  }
  return statuses;
}

const clients = /** @type {Wanted[]} */ (JSON.parse(await text(process.stdin)));
process.stdout.write(JSON.stringify(await Promise.all(clients.map(statusesOf))));
