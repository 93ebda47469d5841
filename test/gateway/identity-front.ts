import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TokenKeys } from '@app/dto';
import { request } from 'undici';

/** What identity's nodes would say of a contract account's signature. */
export type ContractAnswer = 'valid' | 'invalid' | 'away' | 'ask identity';

export interface IdentityFront {
  url: string;
  /** Paths that were asked for, with their method, in order. */
  asked: string[];
  /** Principal tokens of the requests that were forwarded to identity for callers. */
  forwarded: { path: string; headers: IncomingMessage['headers'] }[];
  /** Keys that the gateway is told beside identity's own. */
  keys: TokenKeys;
  contracts: ContractAnswer;
  /** Where requests of callers go instead of identity. */
  callersGoTo: string | undefined;
  /** Nothing is answered any more. */
  isAway: boolean;
  /** Answers a path in identity's place. */
  answer: (path: string, answer: (response: ServerResponse) => void) => void;
  stop: () => Promise<void>;
}

/**
 * Stands between a gateway and the real identity, and lets a test have keys of its own, or identity go away. What it does
 * not change goes through as it is.
 */
export async function identityFront(identityUrl: string, keys: TokenKeys): Promise<IdentityFront> {
  const answers = new Map<string, (response: ServerResponse) => void>();
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const front: IdentityFront = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    forwarded: [],
    keys,
    contracts: 'ask identity',
    callersGoTo: undefined,
    isAway: false,
    answer: (path, answer) => answers.set(path, answer),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (front.isAway) {
      response.destroy();
      return;
    }
    const { method = 'GET', url = '/', headers } = incoming;
    const [path = ''] = url.split('?');
    front.asked.push(`${method} ${path}`);
    if (!path.startsWith('/internal/')) front.forwarded.push({ path, headers });
    const scripted = answers.get(path);
    if (scripted) {
      incoming.resume();
      scripted(response);
      return;
    }
    const body = await buffer(incoming);
    if (path === '/internal/ethereum-credentials' && front.contracts !== 'ask identity') {
      const isValid = front.contracts === 'valid';
      response.writeHead(front.contracts === 'away' ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ isValid }));
      return;
    }
    const to = path.startsWith('/internal/') ? identityUrl : (front.callersGoTo ?? identityUrl);
    const answer = await request(`${to}${url}`, {
      method: method as 'GET',
      headers: endToEnd(headers),
      body: body.length > 0 ? body : null,
    });
    const text = await answer.body.text();
    response.writeHead(answer.statusCode, endToEnd(answer.headers));
    response.end(path === '/internal/token-keys' ? withKeys(text, front.keys) : text);
  }

  return front;
}

const HOP_BY_HOP = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'];

const endToEnd = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));

function withKeys(text: string, more: TokenKeys): string {
  const own = JSON.parse(text) as TokenKeys;
  return JSON.stringify({
    access: [...own.access, ...more.access],
    ae: [...own.ae, ...more.ae],
    nonce: [...own.nonce, ...more.nonce],
  });
}
