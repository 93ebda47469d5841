import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
}

export interface EchoServer {
  url: string;
  seen: SeenRequest[];
  /** @returns the number of open connections */
  connections: () => Promise<number>;
  /** Replaces the answer, which is otherwise `[]` as JSON; without an argument it is that again. */
  answerWith: (answer?: (request: SeenRequest, response: ServerResponse) => void) => void;
  stop: () => Promise<void>;
}

/** A service behind the gateway that remembers what reached it. */
export async function echoServer(port = 0): Promise<EchoServer> {
  const seen: SeenRequest[] = [];
  const plain = (_request: SeenRequest, response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json');
    response.end('[]');
  };
  let answer = plain;
  // The server keeps idle connections as the services do: only the gateway closes them.
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const entry = { method, url, headers, rawHeaders, body };
      seen.push(entry);
      answer(entry, response);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    connections: promisify(server.getConnections.bind(server)),
    answerWith: (next = plain) => (answer = next),
    stop: async () => {
      // A request that is sent again must find no listener, as with an app that shuts down.
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
