import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

export interface NodeRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node under test does with one request. */
export type NodeBehaviour = (request: NodeRequest, response: ServerResponse) => void | Promise<void>;

/** A JSON-RPC node on the loopback interface that behaves as a test wants and counts what it is asked. */
export class HostileNode {
  readonly asked: string[] = [];
  readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(behaviour: NodeBehaviour): Promise<HostileNode> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const node = new HostileNode(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (socket) => {
      node.sockets.add(socket);
      socket.on('close', () => node.sockets.delete(socket));
    });
    server.on('request', (request, response) => {
      void node.answer(behaviour, request, response);
    });
    return node;
  }

  count(method: string): number {
    return this.asked.filter((asked) => asked === method).length;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(behaviour: NodeBehaviour, request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const question = JSON.parse(Buffer.concat(chunks).toString()) as NodeRequest;
    this.asked.push(question.method);
    await behaviour(question, response);
  }
}

/** Sends a well-formed answer. */
export function reply(
  response: ServerResponse,
  id: unknown,
  body: { result: unknown } | { error: unknown },
): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
}

/** Names the local chain when asked for it, and otherwise behaves as given. */
export function onCalls(behaviour: NodeBehaviour): NodeBehaviour {
  return (request, response) => {
    if (request.method !== 'eth_chainId') return behaviour(request, response);
    reply(response, request.id, { result: '0x7a69' });
  };
}

/** Passes everything on to a real node. */
export function forwardTo(rpcUrl: string): NodeBehaviour {
  return async (request, response) => {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...request }),
    });
    response.setHeader('content-type', 'application/json');
    response.end(await answer.text());
  };
}
