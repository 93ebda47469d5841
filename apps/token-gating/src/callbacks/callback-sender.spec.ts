import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SafeHttpClient } from '@app/http';
import ipaddr from 'ipaddr.js';
import { PublicHttpClient } from '../clients/safe-fetcher.module.js';
import type { CallbackKeyRing } from './callback-key-ring.js';
import { CallbackSender } from './callback-sender.js';
import type { ClaimedDelivery } from './delivery.js';
import type { EndpointSecrets } from './endpoints/endpoint-secrets.js';

const ANSWER = `${'é'.repeat(400)}\u0000${'x'.repeat(5_000)}`;
const LOOPBACK = [ipaddr.parseCIDR('127.0.0.0/8')];

const { privateKey } = generateKeyPairSync('ed25519');
const keys: Pick<CallbackKeyRing, 'getSigningKeys' | 'canSign'> = {
  canSign: true,
  getSigningKeys: () => [{ kid: 'key', privateKey }],
};
const secrets: Pick<EndpointSecrets, 'open'> = { open: () => [] };

describe('CallbackSender', () => {
  const server = createServer((_, response) => {
    response.writeHead(500).end(ANSWER);
  });
  const reaching = new SafeHttpClient({ allowedCidrs: LOOPBACK });
  /** The loopback network stands for public addresses. */
  const publicReaching = new PublicHttpClient({ allowedCidrs: LOOPBACK });
  const publicOnly = new PublicHttpClient();
  let url: string;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });

  afterAll(async () => {
    for (const client of [reaching, publicReaching, publicOnly]) await client.close();
    server.close();
    server.closeAllConnections();
  });

  const send = (publicClient: PublicHttpClient, endpointId: string | null) => {
    const sender = new CallbackSender(
      reaching,
      publicClient,
      keys as CallbackKeyRing,
      secrets as EndpointSecrets,
    );
    const event = { type: 'endpoint.test' as const, timestamp: new Date().toISOString(), data: {} };
    const delivery: ClaimedDelivery = {
      id: 'msg_1',
      tenantId: 'owner_1',
      attempt: 1,
      repeatBase: 0,
      url,
      requestId: '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11',
      clientId: 'client_1',
      payload: { communityId: '', roles: [], errors: [], event },
      endpointId,
      secrets: undefined,
      isWanted: true,
      isHeld: false,
      traceparent: null,
      receiver: { tenantId: 'owner_1', origin: new URL(url).origin },
    };
    return sender.send(delivery);
  };

  it('CallbackSender: keeps the first KiB of what an endpoint at a public address answers, as text', async () => {
    const { record } = await send(publicReaching, 'endpoint_1');
    expect(record).toMatchObject({ status: 500, failure: undefined });
    expect(record.answer).toBe(`${'é'.repeat(400)}\ufffd${'x'.repeat(1_024 - 801)}`);
  });

  it('CallbackSender: keeps nothing of what an endpoint in a private network answers, and posts to it', async () => {
    const { record } = await send(publicOnly, 'endpoint_1');
    expect(record).toMatchObject({ status: 500, failure: undefined, answer: undefined });
  });

  it('CallbackSender: keeps nothing of what a receiver without an endpoint answers', async () => {
    expect((await send(publicReaching, null)).record.answer).toBeUndefined();
  });
});
