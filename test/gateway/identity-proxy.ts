import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TokenKeys } from '@app/dto';
import { request } from 'undici';

/** The result of a contract wallet's signature check. */
export type ContractCheckResult = 'valid' | 'invalid' | 'away' | 'forward to identity';

export interface IdentityProxy {
  url: string;
  /** Requested methods and paths, in order. */
  requests: string[];
  /** Methods and paths of requests that were not answered during an outage. */
  refused: string[];
  /** Requests that the gateway forwarded for callers. */
  forwarded: { path: string; headers: IncomingMessage['headers'] }[];
  /** Keys that the gateway gets in addition to identity's own. */
  keys: TokenKeys;
  contracts: ContractCheckResult;
  /** The URL to which requests of callers go instead of identity. */
  callerUpstream: string | undefined;
  /** Destroys every connection. */
  isDown: boolean;
  /** Overrides the response for a path. */
  answer: (path: string, answer: (response: ServerResponse) => void) => void;
  /** Undoes everything that a test has set. */
  reset: (keys: TokenKeys) => void;
  stop: () => Promise<void>;
}

/**
 * Starts a proxy between a gateway and the real identity, so that a test can add keys, override responses or simulate an
 * outage.
 */
export async function startIdentityProxy(identityUrl: string, keys: TokenKeys): Promise<IdentityProxy> {
  const answers = new Map<string, (response: ServerResponse) => void>();
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: IdentityProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    refused: [],
    forwarded: [],
    keys,
    contracts: 'forward to identity',
    callerUpstream: undefined,
    isDown: false,
    answer: (path, answer) => answers.set(path, answer),
    reset: (keys) => {
      Object.assign(proxy, {
        keys,
        contracts: 'forward to identity',
        callerUpstream: undefined,
        isDown: false,
      });
      answers.clear();
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming;
    const [path = ''] = url.split('?');
    if (proxy.isDown) {
      proxy.refused.push(`${method} ${path}`);
      response.destroy();
      return;
    }
    proxy.requests.push(`${method} ${path}`);
    if (!path.startsWith('/internal/')) proxy.forwarded.push({ path, headers });
    const scripted = answers.get(path);
    if (scripted) {
      incoming.resume();
      scripted(response);
      return;
    }
    const body = await buffer(incoming);
    if (path === '/internal/ethereum-credentials' && proxy.contracts !== 'forward to identity') {
      const isValid = proxy.contracts === 'valid';
      response.writeHead(proxy.contracts === 'away' ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ isValid }));
      return;
    }
    const to = path.startsWith('/internal/') ? identityUrl : (proxy.callerUpstream ?? identityUrl);
    const answer = await request(`${to}${url}`, {
      method: method as 'GET',
      headers: endToEnd(headers),
      body: body.length > 0 ? body : null,
    });
    const text = await answer.body.text();
    response.writeHead(answer.statusCode, endToEnd(answer.headers));
    response.end(path === '/internal/token-keys' ? addKeys(text, proxy.keys) : text);
  }

  return proxy;
}

const HOP_BY_HOP = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'];

const endToEnd = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));

function addKeys(text: string, extra: TokenKeys): string {
  const own = JSON.parse(text) as TokenKeys;
  return JSON.stringify({
    access: [...own.access, ...extra.access],
    ae: [...own.ae, ...extra.ae],
    nonce: [...own.nonce, ...extra.nonce],
  });
}
