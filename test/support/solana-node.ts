import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { createRpcHandler } from '../../scripts/chain/solana/rpc-server.mjs';

interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface RpcResponse {
  readonly id: unknown;
  result?: unknown;
  error?: { readonly code: number; readonly message: string };
}

/** Handles a POST before the cluster does; false leaves it to the cluster. */
type Behaviour = (body: string, response: ServerResponse) => boolean;

/** A node of a cluster, which can be made to fail or to lie. */
export class SolanaNode {
  /** POSTs so far. */
  posts = 0;
  /** Replaces the answer to a whole POST. */
  behave: Behaviour = () => false;
  /** Milliseconds until it answers a POST. */
  delayMs: (body: string) => number = () => 0;
  /** Changes the response to one request. */
  change: (response: RpcResponse, request: RpcRequest) => RpcResponse = (response) => response;

  private constructor(
    private readonly server: Server,
    private readonly respond: (body: string) => string,
    readonly url: string,
  ) {
    server.on('request', (request, response) => {
      void this.handle(request, response);
    });
  }

  static async start(cluster: SolanaCluster): Promise<SolanaNode> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new SolanaNode(server, createRpcHandler(cluster), `http://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  /** Loses every transaction that is sent to it, while `isLosing`. It answers as if it had taken them. */
  loseTransactions(isLosing: () => boolean = () => true): void {
    this.behave = (body, response) => {
      if (!isLosing() || !body.includes('"sendTransaction"')) return false;
      const requests = JSON.parse(body) as RpcRequest | RpcRequest[];
      const lose = ({ id }: RpcRequest) => ({ jsonrpc: '2.0', id, result: 'lost' });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(requests) ? requests.map(lose) : lose(requests)));
      return true;
    };
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    this.posts += 1;
    if (this.behave(body, response)) return;
    const delayMs = this.delayMs(body);
    if (delayMs > 0) await sleep(delayMs);
    response.setHeader('content-type', 'application/json');
    response.end(this.answer(body));
  }

  private answer(body: string): string {
    const requests = JSON.parse(body) as RpcRequest | RpcRequest[];
    const responses = JSON.parse(this.respond(body)) as RpcResponse | RpcResponse[];
    if (!Array.isArray(requests)) return JSON.stringify(this.change(responses as RpcResponse, requests));
    const byId = new Map(requests.map((request) => [request.id, request]));
    return JSON.stringify(
      (responses as RpcResponse[]).map((one) => {
        const request = byId.get(one.id);
        if (!request) throw new Error('a response to no request');
        return this.change(one, request);
      }),
    );
  }
}
