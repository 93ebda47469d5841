import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { describeInBrowser } from '../support/needs.js';
import { expectAccessible } from './accessible-pages.js';
import { type EveryPage, everyPage } from './every-page.js';
import { leaseWholePages } from './pages-under-test.js';

jest.setTimeout(300_000);

describeInBrowser('every page of users', () => {
  let all: EveryPage;

  beforeAll(async () => {
    all = await everyPage(await leaseWholePages());
  });

  afterAll(async () => {
    await all.stop();
  });

  it('every page of users: is accessible on phone and desktop, in light and dark mode, and by keyboard', async () => {
    expect((await expectAccessible(all.visitUsersPages)).length).toBeGreaterThan(15);
  });
});
