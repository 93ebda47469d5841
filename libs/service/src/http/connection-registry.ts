import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Closes a server's connections: Node's `close` would wait for connections that never sent a request. */
export class ConnectionRegistry {
  private readonly open = new Set<Socket>();
  private readonly busy = new Set<Socket>();
  private draining = false;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => {
        this.open.delete(socket);
        this.busy.delete(socket);
      });
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.busy.add(socket);
      response.once('close', () => {
        this.busy.delete(socket);
        if (this.draining) socket.end();
      });
    });
  }

  /** Stops accepting connections, closes idle ones, and waits for the responses of the others. */
  async drain(): Promise<void> {
    this.draining = true;
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.open) if (!this.busy.has(socket)) socket.destroy();
    await closed;
  }
}
