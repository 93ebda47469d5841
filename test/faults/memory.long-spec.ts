import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Pool } from 'undici';
import { INSPECTED, measureHeap } from '../support/heap.js';
import { Product } from './product.js';

jest.setTimeout(1_800_000);

const CHECKS = 200_000;
const CLIENTS = 64;
/** Caches fill and code is compiled before the first measurement. */
const WARM_UP_CHECKS = 50_000;
const MOST_GROWTH = 1.1;

let product: Product;

beforeAll(async () => {
  product = await Product.start({ env: INSPECTED });
});

afterAll(async () => {
  await product.stop();
});

/** Sends checks of accounts that no check had before. @returns how many were answered as they should */
async function checkFreshAccounts(count: number): Promise<number> {
  const pool = new Pool(product.suite.gatewayUrl, { connections: CLIENTS });
  let left = count;
  let answered = 0;
  const ask = async (): Promise<void> => {
    while (left-- > 0) {
      const account = `0x${randomBytes(20).toString('hex')}`;
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/access-control/check-roles',
        headers: { 'X-API-Key': product.client.apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({ account, rules: [product.rule] }),
      });
      const text = await body.text();
      if (statusCode === 200 && text === '{"roles":[{"id":"rich","granted":false}]}') answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, ask));
  await pool.close();
  return answered;
}

it('T302: checkRoles: 200,000 checks of as many accounts leave no more in the memory of an app than 50,000', async () => {
  const apps = [product.suite.app('gateway'), product.suite.app('identity'), ...product.instances];
  const measureAll = () => Promise.all(apps.map(async (app) => [app.name, await measureHeap(app)] as const));
  expect(await checkFreshAccounts(WARM_UP_CHECKS)).toBe(WARM_UP_CHECKS);
  const before = new Map(await measureAll());
  expect(await checkFreshAccounts(CHECKS)).toBe(CHECKS);
  const grown = (await measureAll()).filter(([name, heap]) => heap > MOST_GROWTH * (before.get(name) ?? NaN));
  expect([grown, [...before.keys()]]).toEqual([[], ['gateway', 'identity', 'token-gating']]);
});
