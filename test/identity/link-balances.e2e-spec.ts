import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { principalTokenIn } from '../support/principal-token-in.js';
import { LinkingWorld, newKey } from './linking-world.js';

const BALANCE = { cashtag: 'ETH', tokenAddress: `0x${'0'.repeat(40)}`, chainId: 1, balance: '1.5' };

/** A stub of token-gating, for responses that the real one never sends. */
describe('the balances of a linked wallet', () => {
  let world: LinkingWorld;
  let tokenGating: Server;
  let behave: (response: ServerResponse) => void;
  const requests: { path: string; issuer: string; body: unknown }[] = [];

  beforeAll(async () => {
    tokenGating = createServer((request: IncomingMessage, response) => {
      void text(request).then((body) => {
        const { iss } = principalTokenIn(request.headers);
        if (request.method === 'POST')
          requests.push({ path: request.url ?? '', issuer: iss, body: JSON.parse(body) as unknown });
        behave(response);
      });
    });
    tokenGating.listen(0, '127.0.0.1');
    await once(tokenGating, 'listening');
    const { port } = tokenGating.address() as AddressInfo;
    world = await LinkingWorld.start({ TOKEN_GATING_URL: `http://127.0.0.1:${String(port)}` });
  });

  afterAll(async () => {
    tokenGating.closeAllConnections();
    tokenGating.close();
    await world.stop();
  });

  const link = async () => {
    const [user, key] = [world.newUser(), newKey()];
    const { status, body } = await world.linkKey(user, key, { chainId: '10' });
    expect([status, body.address]).toEqual([200, key.address]);
    expect((await world.listPublishedEvents(user)).at(-1)).toBe(`wallet.linked eip155:10:${key.address}`);
    return { key, accounts: body.accounts };
  };
  const respondWith = (status: number, body: string) => (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };

  it('balances of a linked wallet: are those of token-gating', async () => {
    behave = respondWith(200, JSON.stringify({ accounts: [BALANCE] }));
    const { key, accounts } = await link();
    expect(accounts).toEqual([BALANCE]);
    expect(requests).toEqual([
      {
        path: '/internal/balances',
        issuer: 'identity',
        body: {
          accountId: `eip155:10:${key.address}`,
          isContract: false,
          tenantId: expect.stringMatching(/./),
        },
      },
    ]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['does not answer', () => undefined],
    ['stops within the response', (response) => void response.writeHead(200).write('{')],
    ['fails', respondWith(500, '{}')],
    ['has an invalid response', respondWith(200, '{"accounts":[{"cashtag":"ETH"}]}')],
    ['does not send JSON', respondWith(200, 'nonsense')],
    ['exceeds the size limit', (response) => void response.writeHead(200).end('x'.repeat(3 * 1024 * 1024))],
    ['closes the connection', (response) => response.destroy()],
  ])(
    'balances of a linked wallet: are omitted when it %s, and the wallet is linked',
    async (_, behaviour) => {
      behave = behaviour;
      expect((await link()).accounts).toEqual([]);
    },
  );
});
