import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningApp } from '../support/running-app.js';
import { type RunningSuite, runningSuite, type SuiteOptions } from '../support/running-suite.js';
import { type IdentityFront, identityFront } from './identity-front.js';
import { TokenMint } from './token-mint.js';

export interface GatewayWithTokens {
  suite: RunningSuite;
  mint: TokenMint;
  front: IdentityFront;
  /** The gateway that knows the mint's keys. */
  gateway: RunningApp;
  ask: (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>;
  stop: () => Promise<void>;
}

/** The suite, and one more gateway to which the keys of a test are identity's. */
export async function gatewayWithTokens(options: SuiteOptions = {}): Promise<GatewayWithTokens> {
  const suite = await runningSuite(options);
  const mint = new TokenMint(suite.gatewayUrl);
  const front = await identityFront(suite.app('identity').url, mint.keys);
  const gateway = await suite.another('gateway', {
    IDENTITY_URL: front.url,
    ADDRESS_REQUESTS_PER_SECOND: '1000',
    ...options.env,
  });
  return {
    suite,
    mint,
    front,
    gateway,
    ask: (path, headers = {}, method = 'GET') => fetch(`${gateway.url}${path}`, { method, headers }),
    stop: async () => {
      front.isAway = false;
      await suite.stop();
      await front.stop();
    },
  };
}

/** Asks until a credential no longer opens anything. @returns how long that took */
export async function untilRefused(ask: () => Promise<Response>, atMostMs = 10_000): Promise<number> {
  const since = Date.now();
  while ((await ask()).status !== 401 && Date.now() - since < atMostMs) await sleep(50);
  return Date.now() - since;
}
