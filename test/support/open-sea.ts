import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenSeaServer, type StandInItem } from '../../scripts/demo/open-sea/server.mjs';

const API_KEY = 'open-sea-test-key';

/** Answers a request in place of the stand-in, or returns false. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A stand-in of the OpenSea API on the loopback interface. Counts requests, and can be made to fail. */
export class OpenSeaStandIn {
  /** Paths with queries, in order. */
  readonly requests: string[] = [];
  intercept: Intercept = () => false;

  private constructor(
    private readonly server: Server,
    readonly collections: Parameters<typeof createOpenSeaServer>[0]['collections'],
  ) {}

  static async start(maxPageSize: number): Promise<OpenSeaStandIn> {
    const collections = {};
    const intercept: Intercept = (request, response) => {
      standIn.requests.push(request.url ?? '');
      return standIn.intercept(request, response);
    };
    const server = createOpenSeaServer({ apiKey: API_KEY, collections, maxPageSize, intercept });
    const standIn = new OpenSeaStandIn(server, collections);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return standIn;
  }

  /** Configuration of token-gating. */
  get environment(): Record<string, string> {
    const { port } = this.server.address() as AddressInfo;
    return {
      OPENSEA_API_URL: `http://127.0.0.1:${port}/api/v2`,
      OPENSEA_API_KEY: API_KEY,
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    };
  }

  /** Adds a collection. Items without a contract are of the first one. */
  add(
    slug: string,
    contracts: { chain: string; address: string }[],
    items: (Omit<StandInItem, 'contract'> & { contract?: string })[],
  ): void {
    const [first] = contracts;
    this.collections[slug] = {
      contracts,
      items: items.map((item) => ({ contract: first?.address ?? '', ...item })),
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
