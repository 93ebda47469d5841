import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../../scripts/processes/ports.mjs';
import { LocalChain } from '../support/local-chain.js';
import { LocalRedis } from '../support/local-redis.js';
import { describeWithRedis } from '../support/needs.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { selfSigned } from '../support/self-signed.js';
import { until } from '../support/until.js';

const USER = 'gate@house';
const PASSWORD = `p@ss:w/ö?r#d%,"'&+ 1`;
/** What docs/guides/queues.md grants. */
const RIGHTS = '~{gatehouse* &gatehouse:* +@all -@admin -@dangerous +info';

/** A managed Redis: encrypted, with a certificate of an authority that Node does not know, and a user with few rights. */
describeWithRedis('Redis with TLS', () => {
  let folder: string;
  let port: number;
  let redis: LocalRedis;
  let chain: LocalChain;
  let suite: RunningSuite;

  const urlOf = (password: string) =>
    `rediss://${encodeURIComponent(USER)}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  const pathOfFile = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-redis-tls-'));
    const { cert, key } = selfSigned('127.0.0.1');
    await writeFile(pathOfFile('ca.crt'), cert);
    await writeFile(pathOfFile('redis.key'), key);
    await writeFile(pathOfFile('other.crt'), selfSigned('127.0.0.1').cert);
    port = await freePort();
    const files = ['--tls-cert-file', pathOfFile('ca.crt'), '--tls-key-file', pathOfFile('redis.key')];
    const args = ['--tls-port', String(port), ...files, '--tls-auth-clients', 'no'];
    // The port without TLS is the test's own.
    redis = await LocalRedis.start({ args });
    const hash = createHash('sha256').update(PASSWORD).digest('hex');
    expect(await redis.command(`ACL SETUSER ${USER} reset on #${hash} ${RIGHTS}`)).toBe('+OK');
    chain = await LocalChain.start();
    suite = await runningSuite({
      with: ['account-kit', 'analytics'],
      rpcUrls: { [chain.chainId]: chain.rpcUrl },
      env: {
        REDIS_URL: urlOf(PASSWORD),
        NODE_EXTRA_CA_CERTS: pathOfFile('ca.crt'),
        COUNTER_TIMEOUT_MS: '5000',
        PLATFORM_CHAT_URL: 'http://127.0.0.1:1',
      },
    });
  });

  afterAll(async () => {
    await suite.stop();
    await chain.stop();
    await redis.stop();
    await rm(folder, { recursive: true });
  });

  const says = (app: RunningApp, text: string) => () => app.logLines.some((line) => line.includes(text));
  const readReady = async ({ managementUrl }: RunningApp) => {
    const response = await fetch(`${managementUrl}/health/ready`);
    return { status: response.status, text: await response.text() };
  };

  it('REDIS_URL: over TLS, with a private authority and a user whose password has special characters, checks are answered and gateways count', async () => {
    const { apiKey } = await suite.createClient();
    const send = (path: string, body?: object) =>
      fetch(`${suite.gatewayUrl}/access-control/check-roles${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const rules = [{ type: 'NATIVE', chainId: chain.chainId, minToken: '1', roleId: 'rich' }];
    const accepted = await send('', { account: chain.client.account.address, rules, async: true });
    const { requestId } = (await accepted.json()) as { requestId: string };
    await until('answered', async () => (await send(`/responses/${requestId}`)).status === 200);
    await until(
      'the gateway is counted',
      async () => (await redis.command('ZCARD {gatehouse}:gateways')) === ':1',
    );
    const metrics = await (await fetch(`${suite.app('gateway').managementUrl}/metrics`)).text();
    expect(metrics).not.toMatch(/^gateway_counter_store_failures_total\S* [1-9]/m);
    await until('subscribed', async () =>
      (await redis.command('PUBSUB NUMSUB gatehouse:credentials-changed')).endsWith(':1'),
    );
    expect(await redis.command('ACL LOG')).toBe('*0');
  });

  it('REDIS_URL: a certificate of another authority keeps an app with queues from being ready, and the gateway from counting; both say why', async () => {
    const env = { NODE_EXTRA_CA_CERTS: pathOfFile('other.crt') };
    const [gating, gateway] = [
      await suite.spawnAnother('token-gating', env),
      await suite.another('gateway', env),
    ];
    const reason = 'name the file of its certificate in NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT)';
    await until('said', says(gating, reason));
    const { status, text } = await readReady(gating);
    expect([status, text]).toEqual([503, expect.stringContaining(reason)]);
    const { apiKey } = await suite.createClient();
    await fetch(`${gateway.url}/access-control/check-roles/responses/0`, {
      headers: { 'X-API-Key': apiKey },
    });
    await until('said', says(gateway, reason));
  });

  it('REDIS_URL: a wrong password keeps an app with queues from being ready, which says so without the password', async () => {
    const gating = await suite.spawnAnother('token-gating', { REDIS_URL: urlOf('wrong-password') });
    await until('said', says(gating, 'WRONGPASS'));
    const { status, text } = await readReady(gating);
    expect([status, text]).toEqual([503, expect.stringContaining('WRONGPASS')]);
    expect(gating.logLines.join('\n')).not.toContain('wrong-password');
  });
});
