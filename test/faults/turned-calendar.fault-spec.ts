import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { clockOf } from '../support/faketime.js';
import { LocalPostgres } from '../support/local-postgres.js';
import { describeWithFaketime } from '../support/needs.js';
import { until } from '../support/until.js';
import { Product } from './product.js';

/** Midnights in the order of the calendar, because a clock that goes back is another fault. */
const MIDNIGHTS = {
  'the end of a year': '2026-12-31T23:59:58Z',
  'the beginning of summer time': '2027-03-28T00:59:58Z',
  'the end of summer time': '2027-10-31T00:59:58Z',
  'the beginning of a leap day': '2028-02-28T23:59:58Z',
  'the end of a leap day and of its month': '2028-02-29T23:59:58Z',
};
/** The time of asking: from two seconds before the change to about two seconds after it. */
const ASKING_MS = 4_000;
const NOTICED_MS = 15_000;

/** The seconds of the month that is reached two seconds after `time`. */
function secondsOfMonth(time: string): number {
  const reached = new Date(Date.parse(time) + 2_000);
  return new Date(Date.UTC(reached.getUTCFullYear(), reached.getUTCMonth() + 1, 0)).getUTCDate() * 86_400;
}

const offsetTo = (time: string, secondsBefore = 0): string =>
  `+${Math.round((Date.parse(time) - Date.now()) / 1_000) - secondsBefore}s`;

describeWithFaketime('apps and a database whose clock passes', () => {
  let folder: string;
  let postgres: LocalPostgres;
  let product: Product;
  let clock: ReturnType<typeof clockOf>;
  const usualDatabase = process.env.TEST_DATABASE_URL;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-calendar-'));
    clock = clockOf(join(folder, 'clock'));
    await clock.turn('+0s');
    postgres = await LocalPostgres.start(clock.env);
    process.env.TEST_DATABASE_URL = postgres.url;
    product = await Product.start({ env: { ...clock.env, TZ: 'Europe/Berlin' } });
  });

  afterAll(async () => {
    await product.stop();
    await postgres.stop();
    process.env.TEST_DATABASE_URL = usualDatabase;
    await rm(folder, { recursive: true });
  });

  it.each(Object.entries(MIDNIGHTS))(
    'T49: apps and a database whose clock passes: %s answer every request, and keep every check',
    async (_, time) => {
      // Keys and revocations are too old after the months in between, until they are loaded again.
      await clock.turn(offsetTo(time, 5));
      await until('the apps have noticed', async () => (await product.check()).status === 200, NOTICED_MS);
      await clock.turn(offsetTo(time));
      const end = performance.now() + ASKING_MS;
      const statuses: number[] = [];
      const requestIds: string[] = [];
      while (performance.now() < end) {
        const { status } = await product.check();
        statuses.push(status);
        requestIds.push(...(await product.calledBack(1)));
        await sleep(300);
      }
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      await product.untilDelivered(requestIds);
      const { headers } = await product.check();
      expect(headers.get('ratelimit-policy')).toContain(`"month";q=1000000;w=${secondsOfMonth(time)}`);
    },
  );
});
