import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isAuthentic } from '../support/callback-log.js';
import { BACKENDS } from '../support/queue-backend.js';
import type { RunningApp } from '../support/running-app.js';
import { acceptedIn, Load, type Outcome } from './load.js';
import { Product } from './product.js';
import { describeBackends } from '../support/needs.js';

const PATH = '/access-control/check-roles';
const CALLERS = 6;
/** The pause of each caller between requests: it still sends several during every moment of a replacement. */
const PAUSE_MS = 150;
const OUTSIDER = '0x00000000000000000000000000000000000000aa';
/** The delays are those of production: a balancer has time to notice. */
const DRAINING = { SHUTDOWN_DELAY_MS: '3000' };
type Kind = 'synchronous' | 'polled' | 'called back';
const KINDS: Kind[] = ['synchronous', 'polled', 'called back'];

interface Asked extends Outcome {
  kind: Kind;
  isHolder: boolean;
  body: unknown;
}

describeBackends(BACKENDS, 'two instances of token-gating with queues on %s', (backend) => {
  let product: Product;
  let gatewayUrls: string[];

  beforeAll(async () => {
    // Without Redis only one gateway is supported.
    product = await Product.start({ backend, instances: 0 });
    await Promise.all([product.addInstance(DRAINING), product.addInstance(DRAINING)]);
    const more = backend === 'redis' ? [await product.suite.anotherGateway()] : [];
    gatewayUrls = [product.suite.gatewayUrl, ...more.map(({ url }) => url)];
  });

  afterAll(async () => {
    await product.endInstances();
    await product.stop();
  });

  const ask = async (caller: number): Promise<Asked> => {
    const kind = KINDS[caller % KINDS.length] ?? 'polled';
    const isHolder = Math.random() < 0.5;
    const how = {
      synchronous: {},
      polled: { async: true },
      'called back': { callbackUrl: product.callbacks.url() },
    };
    const request = { account: isHolder ? product.account : OUTSIDER, rules: [product.rule], ...how[kind] };
    const gatewayUrl = gatewayUrls[caller % gatewayUrls.length];
    const sentAt = Date.now();
    const answer = await product.request('POST', PATH, request, {}, gatewayUrl).catch(() => undefined);
    const { requestId } = (answer?.body ?? {}) as { requestId?: string };
    const outcome = { sentAt, at: Date.now(), status: answer?.status ?? 0, requestId };
    return { ...outcome, kind, isHolder, body: answer?.body };
  };

  const replace = async (instance: RunningApp | undefined): Promise<void> => {
    expect(await instance?.stop('SIGTERM')).toBe(0);
    await product.addInstance(DRAINING);
  };

  const rolesFor = (isHolder: boolean) => [{ id: 'rich', granted: isHolder }];

  it('two instances of token-gating: answer every check once during a rolling replacement', async () => {
    const load = new Load<Asked>(CALLERS, ask, PAUSE_MS);
    await sleep(1_000);
    const [first, second] = product.instances;
    await replace(first);
    await sleep(500);
    await replace(second);
    await sleep(1_000);
    const outcomes = await load.stop();
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);
    const of = (wanted: Kind) => outcomes.filter(({ kind }) => kind === wanted);
    for (const kind of KINDS) expect(of(kind).length).toBeGreaterThan(20);

    for (const { isHolder, body } of of('synchronous')) expect(body).toEqual({ roles: rolesFor(isHolder) });

    const accepted = [...of('polled'), ...of('called back')];
    const ids = acceptedIn(accepted);
    expect(new Set(ids).size).toBe(accepted.length);
    for (const { requestId = '', isHolder } of accepted)
      expect(await product.result(requestId)).toEqual({ requestId, roles: rolesFor(isHolder), errors: [] });

    const calledBack = acceptedIn(of('called back'));
    await product.untilDelivered(calledBack);
    expect(await product.deliveriesOf(ids)).toHaveLength(calledBack.length);
    const keySets = await Promise.all(gatewayUrls.map((url) => product.publishedKeys(url)));
    for (const { requestId = '', isHolder } of of('called back')) {
      const seen = product.callbacks.of(requestId);
      expect(seen).toHaveLength(1);
      for (const callback of seen) {
        expect(JSON.parse(callback.body.toString())).toMatchObject({ roles: rolesFor(isHolder) });
        for (const keys of keySets) expect(isAuthentic(callback, keys)).toBe(true);
      }
    }
  });

  it('two instances of token-gating: serve each other’s checks', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => product.accepted()));
    for (const id of ids) expect(await product.result(id)).toEqual(product.granted(id));
    const [instance, ...others] = product.instances.filter(({ process }) => process.exitCode === null);
    expect(others).toHaveLength(1);
    expect(await instance?.stop('SIGTERM')).toBe(0);
    for (const id of ids)
      for (const url of gatewayUrls)
        expect(await product.poll(id, url)).toMatchObject({ status: 200, body: product.granted(id) });
    await product.addInstance(DRAINING);
  });

  it('T10: two instances of token-gating: run one check for twenty requests with one idempotency key', async () => {
    product.callbacks.seen.length = 0;
    const body = { account: product.account, rules: [product.rule], callbackUrl: product.callbacks.url() };
    const key = { 'Idempotency-Key': 'a:b:c' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        product.request('POST', PATH, body, key, gatewayUrls[at % gatewayUrls.length]),
      ),
    );
    const bodies = new Set(answers.map((answer) => JSON.stringify([answer.status, answer.body])));
    expect(bodies.size).toBe(1);
    const [{ requestId }] = answers.map((answer) => answer.body as { requestId: string }) as [
      { requestId: string },
    ];
    await product.untilDelivered([requestId]);
    expect(await product.sql("SELECT id FROM token_gating.checks WHERE idempotency_key = 'a:b:c'")).toEqual([
      { id: requestId },
    ]);
    expect(product.callbacks.seen).toHaveLength(1);
  });
});
