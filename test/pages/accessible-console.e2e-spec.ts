import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { describeInBrowser } from '../support/needs.js';
import { expectAccessible } from './accessible-pages.js';
import { type EveryPage, everyPage } from './every-page.js';
import { leaseWholePages } from './pages-under-test.js';

jest.setTimeout(480_000);

describeInBrowser('every page of those who run something', () => {
  let all: EveryPage;

  beforeAll(async () => {
    all = await everyPage(await leaseWholePages());
  });

  afterAll(async () => {
    await all.stop();
  });

  it('every page of developers, managers and operators: is accessible on phone and desktop, in light and dark mode, and by keyboard', async () => {
    expect((await expectAccessible(all.visitManagersPages)).length).toBeGreaterThan(15);
  });
});
