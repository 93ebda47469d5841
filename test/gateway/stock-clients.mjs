// Runs generic OpenAPI clients in a process of their own, as stdin says: each loads the document from the gateway and makes calls by tag and
// operation id, with positional arguments, the body last, and credentials by the name of their scheme.
// The argument is the client: `swagger-client`, as a new user gets it, or `swagger-client-3.18`, the last version without the parsers of
// OpenAPI 3.1, which loads in a tenth of the time.
import { text } from 'node:stream/consumers';
import { importFromTool } from '../../scripts/local/tools.mjs';

const { default: SwaggerClient } = await importFromTool('openapi-clients', process.argv[2]);
const documents = new Map();
const documentAt = (url) => {
  if (!documents.has(url))
    documents.set(
      url,
      SwaggerClient.resolve({ url }).then(({ spec }) => spec),
    );
  return documents.get(url);
};

async function statusesOf({ url, authorizations, calls }) {
  const client = await SwaggerClient({ spec: await documentAt(url), url, authorizations });
  const operations = Object.values(client.spec.paths).flatMap((methods) => Object.values(methods));
  const statuses = {};
  for (const [id, args] of Object.entries(calls)) {
    const [tag, method] = id.split('.');
    const call = client.apis[tag][`${tag}_${method}`];
    const { parameters = [] } =
      operations.find(({ __originalOperationId: original }) => original === id) ?? {};
    const values = Object.fromEntries(parameters.map(({ name }, index) => [name, args[index]]));
    const body = args[parameters.length];
    statuses[id] = await call(values, body === undefined ? {} : { requestBody: body }).then(
      ({ status }) => status,
      (error) => error.status ?? error.message,
    );
  }
  return statuses;
}

const clients = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await Promise.all(clients.map(statusesOf))));
