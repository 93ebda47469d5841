import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** PostgreSQL executes what it got in this time. */
const EXECUTION_MS = 50;
const POSTGRES_PORT = 5432;

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  isLosing: boolean;
}

/**
 * A way to PostgreSQL whose answers can be lost: the app hears that its connection has broken, and does not know whether its COMMIT was
 * executed. So ends the connection to a primary that fails over.
 */
export class LossyDatabase {
  private readonly connections = new Set<Connection>();
  /** Whether the answer to what a session is sent now, and everything after it, is lost. */
  isLost: () => boolean = () => false;

  private constructor(
    private readonly listener: Server,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<LossyDatabase> {
    const target = new URL(databaseUrl);
    const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String((listener.address() as AddressInfo).port);
    const database = new LossyDatabase(listener, url.href);
    listener.on('connection', (client) => {
      database.forward(client, connect(Number(target.port) || POSTGRES_PORT, target.hostname));
    });
    return database;
  }

  private forward(client: Socket, server: Socket): void {
    const connection: Connection = { client, server, isLosing: false };
    this.connections.add(connection);
    client.on('data', (bytes) => {
      if (!connection.isLosing && this.isLost()) this.lose(connection);
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (!connection.isLosing) client.write(bytes);
    });
    client.on('end', () => server.end());
    server.on('end', () => client.end());
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // A killed process resets its connections.
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.connections.delete(connection);
        other.end();
      });
    }
  }

  private lose(connection: Connection): void {
    connection.isLosing = true;
    setTimeout(() => connection.client.destroy(), EXECUTION_MS);
  }

  /** The ports by which PostgreSQL knows its sessions. */
  get ports(): number[] {
    return [...this.connections].flatMap(({ server }) => server.localPort ?? []);
  }

  async stop(): Promise<void> {
    this.listener.close();
    for (const { client, server } of this.connections) {
      client.destroy();
      server.destroy();
    }
    await once(this.listener, 'close');
  }
}
