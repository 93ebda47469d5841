// The fair reference of a gateway: Express and undici with everything switched off that the request does not need.
import { Pool } from 'undici';
import { readWhole, serveLeanExpress } from './lean-express.mjs';

const upstream = new Pool(process.env.UPSTREAM_URL ?? '', { connections: 64 });
serveLeanExpress((request, response) => {
  readWhole(request, (body) => {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const { method, url: path } = request;
    let status = 502;
    let type = 'application/json';
    /** @type {Buffer[]} */
    const chunks = [];
    upstream.dispatch(
      { method, path, headers, body: body.length > 0 ? body : null },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode, answered) => {
          status = statusCode;
          type = String(answered['content-type'] ?? type);
        },
        onResponseData: (_controller, chunk) => chunks.push(chunk),
        onResponseEnd: () => {
          const answer = Buffer.concat(chunks);
          response.writeHead(status, { 'content-type': type, 'content-length': answer.length }).end(answer);
        },
        onResponseError: () => response.writeHead(502).end(),
      },
    );
  });
});
