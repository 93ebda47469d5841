import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

export interface NodeRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Handles one request of a node under test. */
export type NodeBehaviour = (request: NodeRequest, response: ServerResponse) => void | Promise<void>;

/** A JSON-RPC node on the loopback interface with a given behaviour; it records the methods of its requests. */
export class HostileNode {
  readonly methods: string[] = [];
  /** The methods of each JSON-RPC batch, which `methods` leaves out. */
  readonly batches: string[][] = [];
  /** Ends the response to a batch and returns true, for a node that takes none. */
  refuseBatch: ((response: ServerResponse, requests: readonly NodeRequest[]) => boolean) | undefined;
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
      void node.respond(behaviour, request, response);
    });
    return node;
  }

  count(method: string): number {
    return this.methods.filter((received) => received === method).length;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private async respond(behaviour: NodeBehaviour, request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    // An app that is killed leaves a request without a body.
    if (chunks.length === 0) {
      response.destroy();
      return;
    }
    const parsed = JSON.parse(Buffer.concat(chunks).toString()) as NodeRequest | NodeRequest[];
    if (!Array.isArray(parsed)) {
      this.methods.push(parsed.method);
      await behaviour(parsed, response);
      return;
    }
    this.batches.push(parsed.map(({ method }) => method));
    if (this.refuseBatch?.(response, parsed)) return;
    const answers = await Promise.all(parsed.map((one) => collectAnswer(behaviour, one, response)));
    response.setHeader('content-type', 'application/json');
    response.end(`[${answers.join()}]`);
  }
}

/** The body with which a behaviour ends its response to one request of a batch. */
function collectAnswer(
  behaviour: NodeBehaviour,
  request: NodeRequest,
  response: ServerResponse,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const collecting = new Proxy(response, {
      get: (target, key) => {
        if (key === 'end') return resolve;
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    Promise.resolve(behaviour(request, collecting)).catch(reject);
  });
}

/** Sends a well-formed response. */
export function reply(
  response: ServerResponse,
  id: unknown,
  body: { result: unknown } | { error: unknown },
): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
}

/** Responds to eth_chainId with the id of the local chain, and to other methods with the given behaviour. */
export function onCalls(behaviour: NodeBehaviour): NodeBehaviour {
  return (request, response) => {
    if (request.method !== 'eth_chainId') return behaviour(request, response);
    reply(response, request.id, { result: '0x7a69' });
  };
}

/** Forwards every request to a real node. */
export function forwardTo(
  rpcUrl: string,
  rewrite: (answer: string) => string = (answer) => answer,
): NodeBehaviour {
  return async (request, response) => {
    try {
      const upstream = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', ...request }),
      });
      response.setHeader('content-type', 'application/json');
      response.end(rewrite(await upstream.text()));
    } catch (error) {
      // The test is over, and the real node may be, too.
      if (!response.destroyed) throw error;
    }
  };
}

/** Forwards to a real node, but answers more than the 8 MB that apps read of an answer for each receipt that there is. */
export const withHugeReceipts =
  (rpcUrl: string): NodeBehaviour =>
  (request, response) =>
    forwardTo(rpcUrl, (answer) =>
      request.method === 'eth_getTransactionReceipt' && !answer.includes('"result":null')
        ? answer + ' '.repeat(8_000_000)
        : answer,
    )(request, response);

/** Code that copies a byte of return data where there is none, which is an exceptional halt: EVM error OutOfOffset. */
export const HALTING_CODE = '0x6001600060003e';

/** Forwards to a real node, but names the halt of HALTING_CODE in words that no list of halts contains. */
export const forwardUnknownHalts = (rpcUrl: string): NodeBehaviour =>
  forwardTo(rpcUrl, (answer) => answer.replace('EVM error OutOfOffset', 'the machine stopped (17)'));
