import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Product } from '../faults/product.js';
import type { RunningApp } from '../support/running-app.js';
import { TraceCollector } from '../support/trace-collector.js';
import { until } from '../support/until.js';
import { CommunitiesWorld } from '../token-gating/communities-world.js';

const CHECK = 'gateway: POST AccessControlController.checkRoles';
const TOKEN = 'a-token-in-the-path-of-a-callback';
/** The header of a client, which asks to be sampled. */
const traceparentOf = (traceId: string): string => `00-${traceId}-${'d'.repeat(16)}-01`;

const requestLines = ({ logLines }: RunningApp) =>
  logLines
    .map((line) => JSON.parse(line) as { message: string; requestId?: string; traceId?: string })
    .filter(({ message }) => message === 'request');

describe('traces', () => {
  let collector: TraceCollector;
  let env: Record<string, string>;

  beforeAll(async () => {
    collector = await TraceCollector.start();
    env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '1' };
  });

  afterAll(() => collector.stop());

  describe('of checks', () => {
    let product: Product;

    beforeAll(async () => {
      product = await Product.start({ env });
    });

    afterAll(() => product.stop());

    it('traces, of checks: lead from the gateway to the callback, and to the database and the node', async () => {
      const callbackUrl = product.callbacks.url(`/hook/${TOKEN}`);
      await product.accepted({ callbackUrl }, { traceparent: traceparentOf('c'.repeat(32)) });
      await until('the callback is traced', () => collector.pathTo('callback').length === 6);
      // Each app exports its spans on its own.
      await until('identity is traced', () => collector.pathTo('POST /internal/credentials').length > 0);

      expect(collector.pathTo('callback')).toEqual([
        CHECK,
        'gateway: forward token-gating',
        'token-gating: POST /access-control/check-roles',
        'token-gating: enqueue check-roles',
        'token-gating: handle check-roles',
        'token-gating: callback',
      ]);
      expect(collector.pathTo('node request').at(-2)).toBe('token-gating: handle check-roles');
      expect(collector.pathTo('UPDATE token_gating.checks').at(-2)).toBe('token-gating: handle check-roles');
      expect(collector.pathTo('POST /internal/credentials').slice(-3)).toEqual([
        CHECK,
        'gateway: call identity',
        'identity: POST /internal/credentials',
      ]);
      // The receiver learns nothing of the trace.
      expect(product.callbacks.seen[0]?.headers).not.toHaveProperty('traceparent');
    });

    it('traces, of checks: are linked to the trace of the client, and do not continue it', () => {
      const [request] = collector.named(CHECK);
      expect(request?.links).toMatchObject([{ traceId: 'c'.repeat(32) }]);
      expect(collector.spans.filter(({ traceId }) => traceId === 'c'.repeat(32))).toEqual([]);
    });

    it('traces, of checks: have their ids in the request lines of each app', async () => {
      const traceId = collector.named(CHECK)[0]?.traceId;
      for (const app of [product.suite.app('gateway'), ...product.instances])
        await until(`${app.name} logs the trace`, () =>
          requestLines(app).some((line) => line.traceId === traceId),
        );
    });

    it('traces, of checks: hold no URL, no credential and no wallet', () => {
      const secrets = [TOKEN, 'http://', product.client.apiKey, product.account, product.rule.roleId];
      for (const secret of secrets)
        expect(collector.received.toLowerCase()).not.toContain(secret.toLowerCase());
    });

    it('traces, of checks: are not taken because a client wants them', async () => {
      const unsampled = await product.suite.another('gateway', { OTEL_TRACES_SAMPLER_ARG: '0' });
      const seen = collector.named(CHECK).length;
      const headers = { traceparent: traceparentOf('e'.repeat(32)) };
      const body = { account: product.account, rules: [product.rule] };
      const path = '/access-control/check-roles';
      expect((await product.request('POST', path, body, headers, unsampled.url)).status).toBe(200);
      await unsampled.stop();
      // The service behind both gateways has sent everything before this.
      await product.check();
      await until('the next check is traced', () => collector.named(CHECK).length > seen);
      expect(collector.named(CHECK)).toHaveLength(seen + 1);
      expect(collector.received).not.toContain('e'.repeat(32));
    });
  });

  describe('of events', () => {
    let world: CommunitiesWorld;

    beforeAll(async () => {
      world = await CommunitiesWorld.start(env, { with: ['analytics'] });
    });

    afterAll(() => world.stop());

    it('traces, of events: lead through the outbox to the app that consumes them', async () => {
      const path = await world.newCommunity(await world.newUser(), { visibility: 'public' });
      await world.expectOk('POST', `${path}/members`, world.as(await world.newUser()));
      await until('the event is traced', () => collector.pathTo('handle community-events').length === 4);
      expect(collector.pathTo('handle community-events')).toEqual([
        'gateway: POST CommunityMemberController.joinCommunity',
        'gateway: forward token-gating',
        'token-gating: POST /communities/:communityId/members',
        'analytics: handle community-events',
      ]);
    });
  });
});
