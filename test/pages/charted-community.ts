import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { inventHistory } from '../../scripts/demo/demo-history.mjs';
import { root } from '../../scripts/build/project.mjs';
import { queryDatabase } from '../identity/query-database.js';
import type { PagesUnderTest, Visitor } from './pages-under-test.js';

const HOUR_MS = 3_600_000;

/** A community with two roles, one of them without a color, that the wallet of a visitor administers. */
export class ChartedCommunity {
  private constructor(
    readonly id: string,
    private readonly apiKey: string,
    private readonly gatewayUrl: string,
  ) {}

  /** @param withHistory 90 days of events, at the end of which three members are left. @param pages a suite with analytics */
  static async create(
    { suite }: PagesUnderTest,
    { wallet }: Visitor,
    { name = 'Apes', withHistory = true }: { name?: string; withHistory?: boolean } = {},
  ): Promise<ChartedCommunity> {
    const { clientId, apiKey } = await suite.createClient({ scopes: ['community:analytics'] });
    const id = `community_${randomUUID()}`;
    const parameters = [id, name, wallet.address, clientId];
    for (const sql of CREATE_COMMUNITY)
      await queryDatabase(suite.databaseUrl, sql, parameters.slice(0, countParameters(sql)));
    if (withHistory) await importHistory(suite.databaseUrl, id);
    return new ChartedCommunity(id, apiKey, suite.gatewayUrl);
  }

  get path(): string {
    return `/portal/communities/${this.id}`;
  }

  get chartsPath(): string {
    return `${this.path}/charts`;
  }

  /** A report as an attached client application gets it. */
  async load(report: string, query: string, accept = 'application/json'): Promise<string> {
    const method = report.startsWith('role') ? 'POST' : 'GET';
    const headers = { 'x-api-key': this.apiKey, accept };
    const url = `${this.gatewayUrl}/analytics/${this.id}/${report}?${query}`;
    const response = await fetch(url, { method, headers });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return response.text();
  }
}

const CREATE_COMMUNITY = [
  `INSERT INTO token_gating.communities (id, name, platform, visibility, owner_id, next_check_at)
   SELECT $1, $2, 'ethereum', 'members', user_id, now() + interval '1 day'
   FROM identity.wallet_connections WHERE address = $3`,
  `INSERT INTO token_gating.community_administrators (community_id, user_id)
   SELECT id, owner_id FROM token_gating.communities WHERE id = $1`,
  `INSERT INTO token_gating.community_roles (community_id, id, name, color, position)
   VALUES ($1, 'whale', 'Whale', 255, 1), ($1, 'collector', 'Collector <b>', null, 2)`,
  `INSERT INTO token_gating.community_clients (community_id, client_id)
   SELECT id, $4 FROM token_gating.communities WHERE id = $1 AND name = $2 AND $3 <> ''`,
];

const countParameters = (sql: string): number =>
  Math.max(...[...sql.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit)));

async function importHistory(databaseUrl: string, communityId: string): Promise<void> {
  const until = Date.now() - 24 * HOUR_MS;
  const events = [
    ...inventHistory({ communityId, chainId: 31_337, until }),
    ...listStayingMembers(communityId, until),
  ];
  const command = bundleOf(root, 'analytics', 'analytics.command.js');
  const env = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, PATH: process.env.PATH };
  const importing = promisify(execFile)(process.execPath, [command, 'backfill', '--community', communityId], {
    env,
  });
  importing.child.stdin?.end(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  await importing;
}

function listStayingMembers(communityId: string, from: number): object[] {
  const event = (type: string, userId: string, more = {}): object => ({
    ...{ id: randomUUID(), type, communityId, userId, at: new Date(from + HOUR_MS).toISOString() },
    ...more,
  });
  const users = ['ann', 'ben', 'cat'];
  return [
    ...users.map((user) => event('member.joined', user)),
    ...users.map((user) => event('wallet.linked', user, { accountId: `eip155:1:0x${'1'.repeat(40)}` })),
    ...['ann', 'ben'].map((user) => event('role.granted', user, { roleId: 'collector' })),
    event('role.granted', 'ann', { roleId: 'whale' }),
  ];
}
