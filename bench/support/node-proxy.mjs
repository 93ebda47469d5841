// The least that a gateway can cost in Node: node:http that passes requests on through kept connections.
import { Agent, createServer, request as send } from 'node:http';

const upstream = new URL(process.env.UPSTREAM_URL ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const server = createServer((request, response) => {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const { hostname, port } = upstream;
  const asked = send(
    { agent, hostname, port, method: request.method, path: request.url, headers },
    (answer) => {
      const { 'content-type': type = 'application/json', 'content-length': length = '0' } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, { 'content-type': type, 'content-length': length });
      answer.pipe(response);
    },
  );
  asked.on('error', () => response.writeHead(502).end());
  request.pipe(asked);
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
