import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

interface DasQuery {
  readonly ownerAddress: string;
  readonly page: number;
  readonly limit: number;
}

/** A stand-in of an indexer with the Digital Asset Standard API (getAssetsByOwner). */
export class DasIndexer {
  /** Requests so far. */
  requests = 0;
  /** The assets that it lists for an owner. */
  list: (owner: string) => readonly object[] = () => [];
  /** Whether it leaves requests for an owner without an answer until it is released. */
  hangs: (owner: string) => boolean = () => false;
  private readonly waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<DasIndexer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const indexer = new DasIndexer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      void readText(request).then((body) => {
        indexer.requests += 1;
        const { ownerAddress, page, limit } = (JSON.parse(body) as { params: DasQuery }).params;
        const items = indexer.list(ownerAddress).slice((page - 1) * limit, page * limit);
        const answer = JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          result: { total: items.length, limit, page, items },
        });
        const send = () => response.end(answer);
        if (indexer.hangs(ownerAddress)) indexer.waiting.push(send);
        else send();
      });
    });
    return indexer;
  }

  /** Requests without an answer. */
  get waitingRequests(): number {
    return this.waiting.length;
  }

  /** Answers all requests, and hangs no more. */
  release(): void {
    this.hangs = () => false;
    for (const send of this.waiting.splice(0)) send();
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
