import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as setImmediateAsync } from 'node:timers/promises';

/** Closes a server's connections: Node's `close` would wait for connections that never sent a request. */
export class ConnectionRegistry {
  /** The responses of each open connection that are not closed. */
  private readonly open = new Map<Socket, Set<ServerResponse>>();
  private draining = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      const responses = new Set<ServerResponse>();
      this.open.set(socket, responses);
      socket.once('close', () => {
        this.open.delete(socket);
        // This runs after Node's own listeners, which close only the response whose turn it was.
        setImmediate(() => {
          responses.forEach(closeQueuedResponse);
        });
      });
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const responses = this.open.get(socket);
      responses?.add(response);
      response.once('close', () => {
        responses?.delete(response);
        if (this.draining && responses?.size === 0) socket.end();
      });
    });
  }

  /**
   * Stops accepting connections, closes idle ones, and waits for the responses of the others. Closes connections whose
   * request has not arrived completely within the server's `requestTimeout`.
   */
  async drain(): Promise<void> {
    this.draining = true;
    await readArrivedRequests();
    const closed = new Promise((resolve) => this.server.close(resolve));
    // Node stops checking `requestTimeout` in `close`.
    setTimeout(() => {
      for (const [socket, responses] of this.open) if (hasIncompleteRequest(responses)) socket.destroy();
    }, this.server.requestTimeout).unref();
    for (const [socket, responses] of this.open) if (responses.size === 0) socket.destroy();
    await closed;
  }
}

/** Turns of the event loop in which a connection is accepted, its request is read and handled. */
const READING_TURNS = 3;

/** Handles requests that the kernel holds already. A busy process would close their connections as idle ones. */
async function readArrivedRequests(): Promise<void> {
  for (let turn = 0; turn < READING_TURNS; turn += 1) await setImmediateAsync();
}

const hasIncompleteRequest = (responses: Set<ServerResponse>): boolean =>
  [...responses].some(({ req }) => !req.complete);

/** Node never closes the responses of pipelined requests whose turn had not come when the client disconnected. */
function closeQueuedResponse(response: ServerResponse): void {
  if (response.closed) return;
  Object.assign(response, { _closed: true }); // as Node does it itself
  response.emit('close');
}
