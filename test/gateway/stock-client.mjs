// A stock OpenAPI client as a program of its own: loads the document from the gateway and makes the calls that arrive
// on standard input, picking each by tag and operation id, its arguments by position, the body last.
import { text } from 'node:stream/consumers';
import SwaggerClient from 'swagger-client';

const { url, apiKey, calls } = JSON.parse(await text(process.stdin));
const client = await SwaggerClient({ url, authorizations: { apiKey } });
const operations = Object.values(client.spec.paths).flatMap((methods) => Object.values(methods));
const statuses = {};

for (const [id, args] of Object.entries(calls)) {
  const [tag, method] = id.split('.');
  const call = client.apis[tag][`${tag}_${method}`];
  const { parameters = [] } = operations.find(({ __originalOperationId: original }) => original === id) ?? {};
  const values = Object.fromEntries(parameters.map(({ name }, at) => [name, args[at]]));
  const body = args[parameters.length];
  statuses[id] = await call(values, body === undefined ? {} : { requestBody: body }).then(
    ({ status }) => status,
    (error) => error.status ?? error.message,
  );
}
process.stdout.write(JSON.stringify(statuses));
