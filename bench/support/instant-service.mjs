// An app behind the gateway that answers at once, whatever it is asked: what is left is the cost of the gateway.
import { createServer } from 'node:http';

const BODY = Buffer.from('{"requestId":"req_bench","roles":[{"id":"001","granted":true}],"errors":[]}');
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'content-length': BODY.length };
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(200, HEADERS).end(BODY));
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
