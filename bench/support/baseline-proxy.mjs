// What anybody would put in front of it: Express that passes everything on through undici.
import express from 'express';
import { Pool } from 'undici';

const upstream = new Pool(process.env.UPSTREAM_URL ?? '', { connections: 256 });
const app = express();
app.use(async (request, response) => {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const answer = await upstream.request({
    method: request.method,
    path: request.url,
    headers,
    body: request,
  });
  response.status(answer.statusCode);
  for (const name of ['content-type', 'content-length']) response.setHeader(name, answer.headers[name] ?? '');
  answer.body.pipe(response);
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
