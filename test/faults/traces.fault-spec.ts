import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceCollector } from '../support/trace-collector.js';
import { until } from '../support/until.js';
import { Product } from './product.js';

const REQUESTS = 400;

describe('a collector of traces', () => {
  let collector: TraceCollector;
  let product: Product;
  let hanging = 0;

  beforeAll(async () => {
    collector = await TraceCollector.start();
    collector.onRequest = () => (hanging += 1);
    product = await Product.start({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '1' },
    });
  });

  afterAll(async () => {
    await product.stop();
    await collector.stop();
  });

  const checkAll = async (): Promise<number[]> => {
    const statuses: number[] = [];
    for (let sent = 0; sent < REQUESTS; sent += 20)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 20 }, async () => (await product.check()).status))),
      );
    return statuses;
  };

  it('T115: collector of traces that hangs or is away: delays no request, loses no callback and delays no shutdown', async () => {
    expect(new Set(await checkAll())).toEqual(new Set([200]));
    await until('the collector hangs', () => hanging > 0);
    expect(new Set(await checkAll())).toEqual(new Set([200]));
    const requestIds = await product.calledBack(10);
    await product.untilDelivered(requestIds);
    const [instance] = product.instances;
    // Exits with 1 when SHUTDOWN_GRACE_MS is over.
    expect(await instance?.stop()).toBe(0);

    await product.addInstance();
    await collector.stop();
    expect(new Set(await checkAll())).toEqual(new Set([200]));
    const gateway = product.suite.app('gateway');
    await until('the gateway says so', () =>
      gateway.logLines.some((line) => line.includes('traces are incomplete')),
    );
  });
});
