import { type EchoServer, echoServer } from '../support/echo-server.js';
import { lease } from '../support/lease.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

export interface EchoedGateway {
  suite: RunningSuite;
  /** Analytics and account-kit, as the gateway sees them. */
  upstream: EchoServer;
  stop: () => Promise<void>;
}

/**
 * The gateway that test files share, before a service that remembers what reached it. A test that ends or configures a
 * gateway starts another one.
 */
export async function leaseEchoedGateway(): Promise<EchoedGateway> {
  const running = await lease('echoed gateway', {}, startEchoedGateway);
  running.upstream.answerWith();
  return running;
}

async function startEchoedGateway(): Promise<EchoedGateway> {
  const upstream = await echoServer();
  const suite = await runningSuite({ env: { ANALYTICS_URL: upstream.url, ACCOUNT_KIT_URL: upstream.url } });
  return {
    suite,
    upstream,
    stop: async () => {
      await suite.stop();
      await upstream.stop();
    },
  };
}
