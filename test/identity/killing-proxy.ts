import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Passes requests on, and kills its client once a change was carried out, before the client hears of it. */
export class KillingProxy {
  private readonly server: Server;
  private changes = 0;
  hasKilled = false;
  kill: () => void = () => undefined;

  private constructor(
    private readonly target: string,
    private readonly killingChange: number,
  ) {
    this.server = createServer((request, response) => {
      this.pass(request, response).catch(() => response.destroy());
    });
  }

  /** @param killingChange the change after which the client ends: 1 for the first */
  static async start(target: string, killingChange: number): Promise<KillingProxy> {
    const proxy = new KillingProxy(target, killingChange);
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const body = await buffer(request);
    const { authorization = '', 'content-type': type = '' } = headers;
    const answer = await fetch(this.target + url, {
      method,
      headers: { authorization, ...(type !== '' && { 'content-type': type }) },
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    if (method !== 'GET' && ++this.changes === this.killingChange) {
      this.hasKilled = true;
      this.kill();
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }
}
