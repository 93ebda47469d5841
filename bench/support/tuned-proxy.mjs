// The fair reference of a gateway: Express and undici with everything switched off that the request does not need.
import express from 'express';
import { Pool } from 'undici';

const upstream = new Pool(process.env.UPSTREAM_URL ?? '', { connections: 64 });
const app = express();
app.disable('x-powered-by');
app.set('etag', false);
app.use(async (request, response) => {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const hasBody = request.method !== 'GET';
  const answer = await upstream.request({
    method: request.method,
    path: request.url,
    headers,
    body: hasBody ? request : null,
  });
  const body = Buffer.from(await answer.body.arrayBuffer());
  response.writeHead(answer.statusCode, {
    'content-type': answer.headers['content-type'] ?? 'application/json',
    'content-length': body.length,
  });
  response.end(body);
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
