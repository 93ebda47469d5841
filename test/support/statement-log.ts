import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const STARTUP_HEADER = 4;
const HEADER = 5;

/**
 * Stands before PostgreSQL and lists the statements that come through, each time one is sent: what an app costs the
 * database, counted from outside. Give the app `url` as its DATABASE_URL.
 */
export class StatementLog {
  /** Statements, each in one line. */
  readonly statements: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<StatementLog> {
    const target = new URL(databaseUrl);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const log = new StatementLog(server, url.href);
    server.on('connection', (inbound) => {
      log.pass(inbound, connect({ host: target.hostname, port: Number(target.port || 5432) }));
    });
    return log;
  }

  /** The statements that match, from a place in the list on. */
  matching(pattern: RegExp, from = 0): string[] {
    return this.statements.slice(from).filter((statement) => pattern.test(statement));
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private pass(inbound: Socket, outbound: Socket): void {
    for (const [socket, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    const readStatement = createStatementReader();
    const read = messageReader((type, body) => {
      const statement = readStatement(type, body);
      if (statement !== undefined) this.statements.push(statement.replace(/\s+/g, ' ').trim());
    });
    inbound.on('data', read);
  }
}

/** Cuts what a client sends into messages: the first has no type, every other has one byte of it before its length. */
function messageReader(onMessage: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const header = isStarted ? HEADER : STARTUP_HEADER;
      if (rest.length < header) return;
      const size = rest.readInt32BE(header - 4) + header - 4;
      if (rest.length < size) return;
      if (isStarted) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(HEADER, size));
      isStarted = true;
      rest = rest.subarray(size);
    }
  };
}

const readText = (body: Buffer, from = 0): string => body.toString('utf8', from, body.indexOf(0, from));

/**
 * Reads what a connection runs: the text of a simple query, of a statement that is parsed to run once, and of a statement with a name each
 * time values are bound to it.
 */
function createStatementReader(): (type: string, body: Buffer) => string | undefined {
  const prepared = new Map<string, string>();
  return (type, body) => {
    if (type === 'Q') return readText(body);
    if (type === 'P') {
      const name = readText(body);
      const text = readText(body, body.indexOf(0) + 1);
      if (name === '') return text;
      prepared.set(name, text);
    }
    // Bind names a portal before its statement.
    return type === 'B' ? prepared.get(readText(body, body.indexOf(0) + 1)) : undefined;
  };
}
