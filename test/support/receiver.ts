import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { SelfSigned } from './self-signed.js';

/** A web server somewhere else, which counts whatever reaches it. */
export interface Receiver {
  readonly port: number;
  /** Connections that were made, also those without a request. */
  readonly connections: () => number;
  /** Names that TLS clients asked for (SNI). */
  readonly serverNames: (string | false | null)[];
  readonly stop: () => Promise<void>;
}

export async function receiver(answer: RequestListener, identity?: SelfSigned): Promise<Receiver> {
  const server = identity ? createHttpsServer({ ...identity }, answer) : createHttpServer(answer);
  const serverNames: (string | false | null)[] = [];
  let connections = 0;
  server.on('connection', () => (connections += 1));
  server.on('secureConnection', ({ servername }: TLSSocket & { servername: string | false | null }) =>
    serverNames.push(servername),
  );
  // A client that does not believe us hangs up in the middle.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    serverNames,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
