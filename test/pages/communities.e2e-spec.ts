import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ChartedCommunity } from './charted-community.js';
import { until } from '../support/until.js';
import { describeInBrowser } from '../support/needs.js';
import {
  leaseWholePages,
  OPERATOR_KEY,
  type PagesUnderTest,
  sessionOf,
  type Visitor,
} from './pages-under-test.js';

const REPORTS = ['role-distribution', 'user-interactions', 'wallet-connections', 'roles-added'];
const QUERY = 'range=90d&interval=week&timeZone=Asia%2FKathmandu';

interface DrawnSeries {
  label: string;
  data: number[];
  color: string | string[];
  /** Whether the canvas has the color of each number that is not 0 where the chart has put it. */
  isDrawn: boolean;
  /** The bars that the canvas shows, by their place, and those that let the card through. */
  bars: number[];
  paleBars: number[];
}

/** What the chart of a report holds, and whether its canvas shows it. */
const readChart = (page: Page, report: string): Promise<DrawnSeries[]> =>
  page.evaluate(`(async () => {
    const script = document.querySelector('script[src$="/community.js"]').src;
    const { Chart } = await import(new URL('./chart-library.vendor.js', script).href);
    const canvas = document.querySelector('[data-report="${report}"] canvas');
    const chart = Chart.getChart(canvas);
    const ratio = chart.currentDevicePixelRatio;
    const pixelAt = (x, y) => [...canvas.getContext('2d').getImageData(x * ratio, y * ratio, 1, 1).data];
    const isHorizontal = chart.options.indexAxis === 'y';
    // Colors of transparent pixels are rounded.
    const isFilled = (css, pixel) => {
      const [red, green, blue, alpha = 255] = css.match(/[0-9a-f]{2}/gi).map((hex) => parseInt(hex, 16));
      return [red, green, blue, alpha].every((part, at) => Math.abs(part - pixel[at]) <= 4);
    };
    return chart.data.datasets.map((dataset, index) => {
      const { data, type } = chart.getDatasetMeta(index);
      const [bars, paleBars] = [[], []];
      const pixels = data.flatMap((element, at) => {
        if (dataset.data[at] === 0) return [];
        if (type === 'line') return [pixelAt(element.x, element.y)[3] > 0];
        const { x, y, base } = element.getProps(['x', 'y', 'base']);
        // A bar of less than three pixels is mixed with what is beside it.
        if (Math.abs((isHorizontal ? x : y) - base) < 3) return [];
        // A line of the grid may shine through one of the places.
        const inside = (share) => (isHorizontal ? pixelAt(base + (x - base) * share, y) : pixelAt(x, base + (y - base) * share));
        const pixels = [0.3, 0.5, 0.7].map(inside);
        bars.push(at);
        if (pixels.some((pixel) => pixel[3] < 250)) paleBars.push(at);
        return [pixels.some((pixel) => isFilled([dataset.backgroundColor].flat()[at], pixel))];
      });
      const isDrawn = pixels.length > 0 && pixels.every(Boolean);
      const color = dataset.backgroundColor;
      return { label: dataset.label, data: dataset.data, color, isDrawn, bars, paleBars };
    });
  })()`);

/** The cells of a report's table, which is opened with the keyboard. */
async function readTable(page: Page, report: string): Promise<string[][]> {
  const card = page.locator(`[data-report="${report}"]`);
  await card.getByText('Show table').focus();
  await page.keyboard.press('Enter');
  await card.locator('table').waitFor();
  const rows = await card.locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
}

const untilLoaded = (page: Page): Promise<void> => page.getByText(/^(Loaded|Data until)/).waitFor();

describeInBrowser('the charts of a community', () => {
  let pages: PagesUnderTest;
  let owner: Visitor;
  let community: ChartedCommunity;

  beforeAll(async () => {
    pages = await leaseWholePages();
    owner = await pages.member();
    community = await ChartedCommunity.create(pages, owner);
  });

  afterAll(async () => {
    await pages.stop();
  });

  /** A request with the session of a visitor; without one, anonymously. */
  const get = async (path: string, visitor?: Visitor): Promise<Response> => {
    const session = visitor && (await sessionOf(visitor));
    const headers = new Headers(session === undefined ? {} : { cookie: `gatehouse_session=${session}` });
    return fetch(pages.suite.gatewayUrl + path, { headers, redirect: 'manual' });
  };

  const loadRows = async <Row>(report: string): Promise<Row[]> =>
    JSON.parse(await community.load(report, QUERY)) as Row[];

  const week = new Intl.DateTimeFormat('en-GB', {
    ...{ day: 'numeric', month: 'short', timeZone: 'Asia/Kathmandu' },
  });
  /** Without the year, which the table shows around New Year only. */
  const dayOf = (date: string): unknown => expect.stringContaining(week.format(new Date(date)));

  describe('shows what the API responds', () => {
    let page: Page;

    beforeAll(async () => {
      ({ page } = owner);
      await page.goto('/portal');
      await page.getByRole('link', { name: 'Communities' }).click();
      await page.getByRole('link', { name: 'Apes' }).click();
      await page.goto(`${community.path}?${QUERY}`);
      await untilLoaded(page);
    });

    it('charts of a community: members by role', async () => {
      interface Row {
        name: string;
        count: number;
        share: number;
      }
      const rows = await loadRows<Row>('role-distribution');
      expect(rows.map(({ name, count }) => [name, count])).toEqual([
        ['Collector <b>', 2],
        ['Whale', 1],
        ['No role', 1],
      ]);
      expect(await readTable(page, 'role-distribution')).toEqual([
        ['Collector <b>', '2', '66.7%'],
        ['Whale', '1', '33.3%'],
        ['No role', '1', '33.3%'],
      ]);
      const [members] = await readChart(page, 'role-distribution');
      expect(members).toMatchObject({ data: [2, 1, 1], isDrawn: true });
      await page.getByText('3 members at the end').waitFor();
    });

    it('charts of a community: interactions', async () => {
      interface Row {
        date: string;
        users: number;
        interactions: number;
        kinds: Record<'joined' | 'left' | 'signedIn' | 'checked' | 'walletLinked' | 'reported', number>;
      }
      const rows = await loadRows<Row>('user-interactions');
      const table = rows.map(({ date, users, interactions, kinds }) => [
        dayOf(date),
        ...[users, interactions, kinds.joined, kinds.walletLinked].map(String),
        ...[kinds.signedIn, kinds.reported, kinds.checked, kinds.left].map(String),
      ]);
      expect(await readTable(page, 'user-interactions')).toEqual(table);
      const begins = await page.locator('[data-report="user-interactions"] tbody th').allInnerTexts();
      const incomplete = begins.map((begin) => begin.endsWith(' (incomplete)'));
      expect(incomplete).toEqual(begins.map((_, index) => index === begins.length - 1));
      const drawn = { isDrawn: true };
      const series = await readChart(page, 'user-interactions');
      const pale = series.map(({ bars }) => bars.filter((at) => at === rows.length - 1));
      expect(series.map(({ paleBars }) => paleBars)).toEqual(pale);
      expect(pale.flat()).not.toEqual([]);
      expect(series).toMatchObject([
        { label: 'Users', data: rows.map(({ users }) => users), ...drawn },
        { label: 'Joined', data: rows.map(({ kinds }) => kinds.joined), ...drawn },
        { label: 'Wallet linked', data: rows.map(({ kinds }) => kinds.walletLinked), ...drawn },
        { label: 'Roles checked', data: rows.map(({ kinds }) => kinds.checked), ...drawn },
        { label: 'Left', data: rows.map(({ kinds }) => kinds.left), ...drawn },
      ]);
    });

    it('charts of a community: connected wallets', async () => {
      interface Row {
        date: string;
        connected: number;
        disconnected: number;
        total: number;
      }
      const rows = await loadRows<Row>('wallet-connections');
      expect(await readTable(page, 'wallet-connections')).toEqual(
        rows.map(({ date, connected, disconnected, total }) => [
          dayOf(date),
          ...[connected, disconnected, total].map(String),
        ]),
      );
      const drawn = { isDrawn: true };
      expect(await readChart(page, 'wallet-connections')).toMatchObject([
        { label: 'Wallets', data: rows.map(({ total }) => total), ...drawn },
        { label: 'Connected', data: rows.map(({ connected }) => connected), ...drawn },
        { label: 'Disconnected', data: rows.map(({ disconnected }) => 0 - disconnected), ...drawn },
      ]);
    });

    it('charts of a community: roles granted and revoked', async () => {
      interface Row {
        date: string;
        total: number;
        roles: { id: string; added: number; removed: number }[];
      }
      const rows = await loadRows<Row>('roles-added');
      expect(await readTable(page, 'roles-added')).toEqual(
        rows.map(({ date, total, roles }) => [
          dayOf(date),
          String(total),
          ...roles.flatMap(({ added, removed }) => [String(added), String(removed)]),
        ]),
      );
      const list = (index: number, field: 'added' | 'removed') =>
        rows.map(({ roles }) =>
          field === 'added' ? (roles[index]?.added ?? 0) : 0 - (roles[index]?.removed ?? 0),
        );
      const drawn = { isDrawn: true };
      expect(await readChart(page, 'roles-added')).toMatchObject([
        { label: 'Whale granted', data: list(0, 'added'), ...drawn },
        { label: 'Whale revoked', data: list(0, 'removed'), ...drawn },
        { label: 'Collector <b> granted', data: list(1, 'added'), ...drawn },
        { label: 'Collector <b> revoked', data: list(1, 'removed'), ...drawn },
      ]);
    });

    it('charts of a community: until when the numbers are complete', async () => {
      await pages.inDatabase(
        `INSERT INTO analytics.producer_heartbeats (producer, until_at)
         VALUES ('identity', '2026-01-02T03:04Z'), ('token-gating', '2026-01-02T03:04Z') ON CONFLICT DO NOTHING`,
      );
      const shown = page.getByText(/^Data until \d+ \w+ \d{4}, \d\d:\d\d \(Asia\/Kathmandu\)/);
      // Analytics reads heartbeats again after a moment.
      await until('the page says it', async () => {
        await page.reload();
        await untilLoaded(page);
        return (await shown.count()) === 1;
      });
    });

    it('charts of a community: show the roles in the colors of the color scheme, and of the community as far as they can be seen', async () => {
      await page.emulateMedia({ colorScheme: 'light' });
      const [light] = await readChart(page, 'role-distribution');
      expect(light).toMatchObject({ color: ['#11805a', '#0000ff', '#89909b'], isDrawn: true });
      await page.emulateMedia({ colorScheme: 'dark' });
      await until('the charts have other colors', async () => {
        const [dark] = await readChart(page, 'role-distribution');
        return dark?.isDrawn === true && dark.color[0] === '#5cc79a' && dark.color[1] !== '#0000ff';
      });
      expect(owner.complaints).toEqual([]);
    });
  });

  it('charts of a community: have the same texts as the API, also as CSV', async () => {
    for (const report of REPORTS) {
      const path = `${community.path}/analytics/${report}`;
      const json = await get(`${path}.json?${QUERY}`, owner);
      expect(await json.text()).toBe(await community.load(report, QUERY));
      expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(json.headers.get('cache-control')).toBe('no-store');
      expect(json.headers.get('access-control-allow-origin')).toBeNull();
      const csv = await get(`${path}.csv?${QUERY}`, owner);
      expect(await csv.text()).toBe(await community.load(report, QUERY, 'text/csv'));
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(csv.headers.get('content-disposition')).toBe(`attachment; filename=${report}.csv`);
    }
  });

  it('charts of a community: are for administrators', async () => {
    const stranger = await pages.member();
    const open = await ChartedCommunity.create(pages, owner, { name: 'Open', withHistory: false });
    await pages.inDatabase(
      `UPDATE token_gating.communities SET visibility = 'public' WHERE id = '${open.id}'`,
    );
    const none = '/portal/communities/community_none';
    const statuses = async (path: string, visitor?: Visitor) => {
      const paths = [
        `${path}/charts`,
        `${path}/analytics/roles-added.json`,
        `${path}/analytics/roles-added.csv`,
      ];
      return Promise.all(paths.map(async (one) => (await get(one, visitor)).status));
    };
    expect(await statuses(community.path, owner)).toEqual([200, 200, 200]);
    expect(await statuses(community.path, stranger)).toEqual([404, 404, 404]);
    expect(await statuses(open.path, stranger)).toEqual([403, 403, 403]);
    expect(await statuses(none, owner)).toEqual([404, 404, 404]);
    expect(await statuses(community.path)).toEqual([303, 401, 303]);
    const refused = await get(`${open.path}/analytics/roles-added.json`, stranger);
    expect(await refused.json()).toMatchObject({ error: { details: { code: 'administrator_required' } } });
    const other = await get(`${community.path}/analytics/none.json`, owner);
    expect(other.status).toBe(400);
    await stranger.page.goto('/portal/communities');
    await stranger.page.getByText('No communities yet.').waitFor();
  });

  it('charts of a community: follow range, dates, interval and time zone, also without scripts', async () => {
    const { page, context } = owner;
    const storageState = await context.storageState();
    const browser = context.browser();
    const plain = await browser?.newContext({
      ...{ baseURL: pages.suite.gatewayUrl, storageState, javaScriptEnabled: false },
    });
    const plainPage = await plain?.newPage();
    for (const one of [page, plainPage]) {
      if (!one) throw new Error('The browser has a page');
      await one.goto(community.chartsPath);
      await one.getByRole('link', { name: '7 days' }).click();
      await one.locator('.ranges [aria-current]', { hasText: '7 days' }).waitFor();
      await one.getByLabel('Time zone').selectOption('Europe/Berlin');
      await one.getByLabel('Group by').selectOption('Hour');
      await one.getByRole('button', { name: 'Update charts' }).click();
      const query = 'range=7d&timeZone=Europe%2FBerlin&interval=hour';
      await one.locator(`#charts[data-query="${query}"]`).waitFor({ state: 'attached' });
      expect(await one.locator('.ranges [aria-current]').innerText()).toBe('7 days');
      await one.getByText('Choose dates').click();
      await one.getByLabel('First day').fill('2026-01-01');
      await one.getByRole('button', { name: 'Update charts' }).click();
      await one.getByText('Enter both dates, or none.').waitFor();
      await one.getByLabel('Last day').fill('2026-01-31');
      await one.getByRole('button', { name: 'Update charts' }).click();
      const csv = await one.getByRole('link', { name: 'Download CSV of Interactions' }).getAttribute('href');
      expect(csv).toContain(encodeURIComponent('2026-01-01/2026-02-01'));
    }
    expect(await plainPage?.content()).toContain('Charts and tables require JavaScript.');
    await plain?.close();
  });

  it('charts of a community: say in words what is missing, and what failed', async () => {
    const { page } = owner;
    const quiet = await ChartedCommunity.create(pages, owner, { name: 'Quiet', withHistory: false });
    await page.goto(quiet.chartsPath);
    await untilLoaded(page);
    expect(await page.locator('canvas').count()).toBe(0);
    expect(await page.locator('.empty').count()).toBe(4);
    await page.goto(`${community.chartsPath}?timeZone=Mars%2FOlympus`);
    const zone = page.getByText('Time zone: must be UTC or an IANA time zone, such as Europe/Berlin.');
    await page.getByText('The charts could not be loaded.').waitFor();
    expect(await zone.count()).toBe(4);
    await page.route('**/roles-added.json*', (route) => route.abort());
    await page.goto(community.chartsPath);
    const card = page.locator('[data-report="roles-added"]');
    await card.getByText('The server cannot be reached.').waitFor();
    expect(await card.getByRole('link').count()).toBe(0);
    await page.unroute('**/roles-added.json*');
    await card.getByRole('button', { name: 'Try again' }).click();
    await card.locator('canvas').waitFor();
    expect(await card.getByRole('link', { name: 'Download CSV' }).count()).toBe(1);
    await until('all charts are drawn', async () => (await page.locator('canvas').count()) === 4);
  });

  it('charts: give bars that are far smaller than others an axis of their own, and each axis a name', async () => {
    const kinds = { joined: 2, left: 0, signedIn: 900, checked: 5_000, walletLinked: 7, reported: 0 };
    const rows = ['2026-11-01', '2026-11-02'].map((day) => ({
      date: `${day}T00:00:00.000+00:00`,
      users: 40,
      interactions: 5_909,
      kinds,
    }));
    const { page } = owner;
    await page.route('**/user-interactions.json*', (route) => route.fulfill({ json: rows }));
    await page.goto(community.chartsPath);
    const card = page.locator('[data-report="user-interactions"]');
    await card.getByText('have a scale of their own: Joined, Wallet linked.').waitFor();
    const axes = await page.evaluate<Record<string, [string, number]>>(`(async () => {
      const script = document.querySelector('script[src$="/community.js"]').src;
      const { Chart } = await import(new URL('./chart-library.vendor.js', script).href);
      const { scales } = Chart.getChart(document.querySelector('[data-report="user-interactions"] canvas'));
      return Object.fromEntries(Object.entries(scales).map(([id, { max, options }]) => [id, [options.title.text, max]]));
    })()`);
    expect(axes).toMatchObject({ level: ['Users', 40], changes: ['Interactions', 6_000] });
    expect(axes['smallChanges']?.[0]).toBe('Rarer');
    expect(axes['smallChanges']?.[1]).toBeLessThan(20);
    await page.unroute('**/user-interactions.json*');
  });

  it('suspensions: an operator suspends a community with a reason and resumes it, and its administrator sees that', async () => {
    const administrator = await pages.member();
    const { id } = await ChartedCommunity.create(pages, administrator, {
      name: 'Imitators',
      withHistory: false,
    });
    const { page, complaints } = await pages.member({ privateKey: OPERATOR_KEY });
    await page.goto('/portal/suspensions');
    await page.getByLabel('Community ID').fill('community_none');
    await page.getByRole('button', { name: 'Find community' }).click();
    await page.getByText('No community has this id.').waitFor();
    for (const noId of ['a'.repeat(129), 'community%01']) {
      const response = await page.goto(`/portal/suspensions/${noId}`);
      expect({ noId, status: response?.status() }).toEqual({ noId, status: 404 });
    }
    await page.goto('/portal/suspensions');
    await page.getByLabel('Community ID').fill(id);
    await page.getByRole('button', { name: 'Find community' }).click();
    await page.getByText('Suspend community').click();
    await page.getByLabel('Reason').fill('It imitates another community');
    await page.getByRole('button', { name: 'Suspend Imitators' }).click();
    await page.getByText('It imitates another community').waitFor();
    await administrator.page.goto('/portal/communities');
    await administrator.page.getByText('Suspended by an operator').waitFor();
    await page.getByRole('link', { name: 'Show audit log' }).click();
    await page.getByText('suspended a community').waitFor();
    await page.goto(`/portal/suspensions/${id}`);
    await page.getByText('Resume community').click();
    await page.getByRole('button', { name: 'Resume Imitators' }).click();
    await page.getByText('Suspend community').waitFor();
    await administrator.page.reload();
    expect(await administrator.page.getByText('Suspended by an operator').count()).toBe(0);
    expect(complaints).toEqual([]);
    await administrator.page.goto('/portal/suspensions');
    await administrator.page.getByText('operator', { exact: false }).first().waitFor();
    expect(await administrator.page.getByLabel('Community ID').count()).toBe(0);
  });
});
