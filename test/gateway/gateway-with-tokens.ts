import { setTimeout as sleep } from 'node:timers/promises';
import { type EchoServer, echoServer } from '../support/echo-server.js';
import { lease } from '../support/lease.js';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite, type SuiteOptions } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { type IdentityProxy, startIdentityProxy } from './identity-proxy.js';
import { TokenFactory } from './token-factory.js';

export interface GatewayWithTokens {
  suite: RunningSuite;
  mint: TokenFactory;
  identityProxy: IdentityProxy;
  /** The gateway that accepts the tokens of `mint`. */
  gateway: RunningApp;
  ask: (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>;
  stop: () => Promise<void>;
}

/** Starts the suite, with a gateway that also accepts the keys of a test. */
export async function startGatewayWithTokens(options: SuiteOptions = {}): Promise<GatewayWithTokens> {
  const suite = await runningSuite({ ...options, without: ['gateway', ...(options.without ?? [])] });
  const mint = new TokenFactory(suite.gatewayUrl);
  const identityProxy = await startIdentityProxy(suite.app('identity').url, mint.keys);
  const gateway = await suite.another('gateway', {
    IDENTITY_URL: identityProxy.url,
    ADDRESS_REQUESTS_PER_SECOND: '1000',
    ...options.env,
  });
  return {
    suite,
    mint,
    identityProxy,
    gateway,
    ask: (path, headers = {}, method = 'GET') => fetch(`${gateway.url}${path}`, { method, headers }),
    stop: async () => {
      identityProxy.isDown = false;
      await suite.stop();
      await identityProxy.stop();
    },
  };
}

/** What test files share: token-gating on a chain whose node is away, and an analytics that remembers what reached it. */
export interface LeasedGatewayWithTokens extends GatewayWithTokens {
  upstream: EchoServer;
}

/** The gateway that test files share, with an identity that is as it was. */
export async function leaseGatewayWithTokens(): Promise<LeasedGatewayWithTokens> {
  const running = await lease('gateway with tokens', {}, startBeforeUpstream);
  const { upstream, identityProxy, mint, suite } = running;
  upstream.answerWith();
  identityProxy.reset(mint.keys);
  const { clientId } = await suite.createClient();
  const claims = mint.accessClaims(clientId);
  // The outage of another test may have opened the circuit breaker, or made the last look for unknown keys fail.
  for (const token of [mint.bearer(claims), mint.bearer(claims, { kid: 'unknown' })])
    await until('identity is used again', async () => {
      const { status } = await running.ask('/account/me', { authorization: `Bearer ${token}` });
      return status !== 503;
    });
  return running;
}

async function startBeforeUpstream(): Promise<LeasedGatewayWithTokens> {
  const upstream = await echoServer();
  const running = await startGatewayWithTokens({
    rpcUrls: { 1: 'http://127.0.0.1:1' },
    env: { ANALYTICS_URL: upstream.url },
  });
  const stop = async () => {
    await running.stop();
    await upstream.stop();
  };
  return { ...running, upstream, stop };
}

/** Waits until the gateway has applied the changes of credentials that identity knows of now. */
export async function waitUntilChangesAreApplied({ identityProxy }: GatewayWithTokens): Promise<void> {
  const polls = () =>
    identityProxy.requests.filter((one) => one === 'GET /internal/credentials/changes').length;
  const before = polls();
  // The second poll starts after the changes of the first are applied.
  await until('the feed was polled twice', () => polls() >= before + 2);
}

/** Polls until the response is 401. @returns the elapsed time in milliseconds */
export async function waitUntilRejected(ask: () => Promise<Response>, timeoutMs = 10_000): Promise<number> {
  const startMs = Date.now();
  while ((await ask()).status !== 401 && Date.now() - startMs < timeoutMs) await sleep(50);
  return Date.now() - startMs;
}
