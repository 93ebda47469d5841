// Runs a generic OpenAPI client in its own process: loads the document from the gateway and makes the calls from stdin,
// by tag and operation id, with positional arguments, the body last, and credentials by the name of their scheme.
// Its version is the last one without the parsers of OpenAPI 3.1, which the document does not need: they are 4,000 files.
import { text } from 'node:stream/consumers';
import SwaggerClient from 'swagger-client';

const { url, authorizations, calls } = JSON.parse(await text(process.stdin));
const client = await SwaggerClient({ url, authorizations });
const operations = Object.values(client.spec.paths).flatMap((methods) => Object.values(methods));
const statuses = {};

for (const [id, args] of Object.entries(calls)) {
  const [tag, method] = id.split('.');
  const call = client.apis[tag][`${tag}_${method}`];
  const { parameters = [] } = operations.find(({ __originalOperationId: original }) => original === id) ?? {};
  const values = Object.fromEntries(parameters.map(({ name }, index) => [name, args[index]]));
  const body = args[parameters.length];
  statuses[id] = await call(values, body === undefined ? {} : { requestBody: body }).then(
    ({ status }) => status,
    (error) => error.status ?? error.message,
  );
}
process.stdout.write(JSON.stringify(statuses));
