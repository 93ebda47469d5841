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
  /** Milliseconds until it answers, by owner. */
  delayMs: (owner: string) => number = () => 0;

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
        setTimeout(() => response.end(answer), indexer.delayMs(ownerAddress));
      });
    });
    return indexer;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
