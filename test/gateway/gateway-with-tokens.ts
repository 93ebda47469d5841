import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite, type SuiteOptions } from '../support/running-suite.js';
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

/** Polls until the response is 401. @returns the elapsed time in milliseconds */
export async function waitUntilRejected(ask: () => Promise<Response>, timeoutMs = 10_000): Promise<number> {
  const startMs = Date.now();
  while ((await ask()).status !== 401 && Date.now() - startMs < timeoutMs) await sleep(50);
  return Date.now() - startMs;
}
