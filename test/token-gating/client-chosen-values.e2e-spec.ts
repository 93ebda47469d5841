import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { GatedChain } from '../support/gated-chain.js';
import { type Receiver, receiver } from '../support/receiver.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

const PATH = '/access-control/check-roles';

describe('values that clients choose', () => {
  let node: GatedChain;
  let here: Receiver;
  let suite: RunningSuite;
  let clients: Client[];

  beforeAll(async () => {
    node = await GatedChain.start();
    here = await receiver((_, response) => response.writeHead(204).end());
    suite = await runningSuite({
      rpcUrls: { 31337: node.node.url },
      env: { CALLBACK_ALLOW_CIDRS: '', ADDRESS_REQUESTS_PER_SECOND: '100000' },
    });
    clients = [await suite.createClient({ name: 'one' }), await suite.createClient({ name: 'other' })];
  });

  afterAll(async () => {
    await suite.stop();
    await here.stop();
    await node.stop();
  });

  beforeEach(() => {
    expect(here.connections()).toBe(0);
  });

  const requestCheck = async (body: object, headers: Record<string, string> = {}, client = clients[0]) => {
    const response = await fetch(suite.gatewayUrl + PATH, {
      method: 'POST',
      headers: { 'X-API-Key': client?.apiKey ?? '', 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({
        account: node.chain.client.account.address,
        rules: [{ type: 'NATIVE', chainId: 31337, minToken: '1' }],
        async: true,
        ...body,
      }),
    });
    return { status: response.status, body: (await response.json()) as { requestId?: string } };
  };

  it.each([
    'a:b:c',
    '12345',
    '../../etc/passwd',
    '{gatehouse}:check-roles:wait',
    "';DROP/**/TABLE/**/checks;--",
  ])('T11: an idempotency key is opaque and scoped to its client: %j', async (key) => {
    const header = { 'Idempotency-Key': key };
    const first = await requestCheck({}, header);
    expect(first.status).toBe(200);
    expect(await requestCheck({}, header)).toEqual(first);
    const others = await requestCheck({}, header, clients[1]);
    expect(others.status).toBe(200);
    expect(others.body.requestId).not.toBe(first.body.requestId);
  });

  it.each(['', 'x'.repeat(300), 'two words', Buffer.from('ünï').toString('latin1')])(
    'T11: an invalid idempotency key is rejected: %j',
    async (key) => {
      expect((await requestCheck({}, { 'Idempotency-Key': key })).status).toBe(400);
    },
  );

  it.each([
    'a:b:c',
    '12345',
    '..%2F..%2Fetc',
    '%00',
    'x'.repeat(300),
    '%C3%BCn%C3%AF',
    '%ff',
    '%5Bobject%5D',
  ])('T11: an unknown request id is not found: %s', async (id) => {
    const response = await fetch(`${suite.gatewayUrl}${PATH}/responses/${id}`, {
      headers: { 'X-API-Key': clients[0]?.apiKey ?? '' },
    });
    await response.arrayBuffer();
    expect([400, 404]).toContain(response.status);
  });

  it('T29: values that clients choose: a callback URL in a private network is rejected without a connection', async () => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
      'localhost.',
      'LOCALHOST',
      '0.0.0.0',
      '169.254.169.254',
      '10.0.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '[fe80::1]',
      '[fd00::1]',
    ];
    const urls = [
      ...hosts.flatMap((host) => ['http', 'https'].map((scheme) => `${scheme}://${host}:${here.port}/`)),
      'file:///etc/passwd',
      'ftp://example.org/',
      'gopher://127.0.0.1/',
      'https://user:secret@example.org/',
      'https://example.org:22/',
      'https://example.org:6379/',
      `https://example.org@127.0.0.1:${here.port}/`,
    ];
    const responses = await Promise.all(urls.map((callbackUrl) => requestCheck({ callbackUrl })));
    expect(responses.map(({ status }, at) => [urls[at], status])).toEqual(urls.map((url) => [url, 400]));
    expect(here.connections()).toBe(0);
  });
});
