import { randomUUID } from 'node:crypto';
import { deriveUserId } from '@app/auth';
import { communityEvent, type CommunityEvent, type UserPlatform } from '@app/dto';
import { type GatewayWithTokens, startGatewayWithTokens } from '../gateway/gateway-with-tokens.js';
import type { TokenFactory } from '../gateway/token-factory.js';
import { queryDatabase } from '../identity/query-database.js';
import type { Client, ClientOptions } from '../support/create-client.js';
import type { RunningSuite, SuiteOptions } from '../support/running-suite.js';
import { checkDeclared } from '../support/declared-answers.js';
import { lease } from '../support/lease.js';

/** A JSON body. */
export type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  body: Json;
}

export type Headers = Record<string, string>;

const ALL_SCOPES = ['community:read', 'community:write', 'user:community:read'];

/** Retries for longer than any test. */
const CALLBACK_RETRY_AFTER_MS = Array.from({ length: 200 }, () => 500).join(',');

/** The outbox deletes rows after sending them, so a trigger copies them. */
const RECORD_EVENTS = `
  CREATE TABLE token_gating.recorded_jobs (id bigint, queue text, payload jsonb);
  CREATE FUNCTION token_gating.record_job() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO token_gating.recorded_jobs VALUES (NEW.id, NEW.queue, NEW.payload); RETURN NULL; END $$;
  CREATE TRIGGER record_job AFTER INSERT ON token_gating.outbox FOR EACH ROW EXECUTE FUNCTION token_gating.record_job()`;

/** The whole suite, with users and client applications that call community operations through the gateway. */
export class CommunitiesWorld {
  private constructor(
    private readonly gates: GatewayWithTokens,
    /** The client application that user tokens are issued to by default. */
    readonly client: Client,
  ) {}

  static async start(
    env: Record<string, string> = {},
    options: Pick<SuiteOptions, 'with'> & { scopes?: string[] } = {},
  ): Promise<CommunitiesWorld> {
    // Scheduled checks would change the roles that tests assert.
    const quiet = { SWEEP_INTERVAL_MS: '60000', ...env };
    const gates = await startGatewayWithTokens({
      rpcUrls: { 1: 'http://127.0.0.1:1' },
      env: quiet,
      ...(options.with ? { with: options.with } : {}),
    });
    // Rules need a client application that is approved for token gating.
    const scopes = [...ALL_SCOPES, 'token-gating', ...(options.scopes ?? [])];
    const client = await gates.suite.createClient({ scopes });
    await queryDatabase(gates.suite.databaseUrl, RECORD_EVENTS);
    return new CommunitiesWorld(gates, client);
  }

  /** The world that test files share. */
  static lease(): Promise<CommunitiesWorld> {
    return lease('communities', { CALLBACK_RETRY_AFTER_MS }, (env) => CommunitiesWorld.start(env));
  }

  /** The same with analytics, whose operations its default client application may call. */
  static leaseWithAnalytics(): Promise<CommunitiesWorld> {
    const options = { with: ['analytics' as const], scopes: ['community:analytics'] };
    return lease('communities', options, (more) => CommunitiesWorld.start({}, more));
  }

  stop(): Promise<void> {
    return this.gates.stop();
  }

  get suite(): RunningSuite {
    return this.gates.suite;
  }

  get gatewayUrl(): string {
    return this.gates.gateway.url;
  }

  get databaseUrl(): string {
    return this.gates.suite.databaseUrl;
  }

  newClient(scopes: string[] = ALL_SCOPES, plan?: ClientOptions['plan']): Promise<Client> {
    return this.gates.suite.createClient({ scopes, ...(plan ? { plan } : {}) });
  }

  /** Creates a user in identity. @returns the user id */
  async newUser(platform: UserPlatform = 'ethereum', platformUserId: string = randomUUID()): Promise<string> {
    const id = deriveUserId(platform, platformUserId);
    const sql = 'INSERT INTO identity.users (id, platform, platform_user_id) VALUES ($1, $2, $3)';
    await this.query(sql, [id, platform, platformUserId]);
    return id;
  }

  get mint(): TokenFactory {
    return this.gates.mint;
  }

  /** Headers of a user who is signed in to a client application. */
  as(
    userId: string,
    {
      scopes = ALL_SCOPES,
      client = this.client,
      amr,
    }: { scopes?: string[]; client?: Client; amr?: string[] } = {},
  ): Headers {
    const { mint } = this.gates;
    const claims = mint.accessClaims(client.clientId, {
      sub: userId,
      scope: ['$public', ...scopes].join(' '),
      ...(amr && { amr }),
    });
    return { authorization: `Bearer ${mint.bearer(claims)}` };
  }

  query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    return queryDatabase(this.databaseUrl, sql, parameters);
  }

  async call(method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> {
    const response = await fetch(this.gatewayUrl + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Json) };
    checkDeclared(method, path, answer.status, text);
    return answer;
  }

  get(path: string, headers: Headers): Promise<Answer> {
    return this.call('GET', path, headers);
  }

  /** @returns the response body. @throws Error for an error status */
  async expectOk(method: string, path: string, headers: Headers, body?: unknown): Promise<Json> {
    const answer = await this.call(method, path, headers, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Creates a community. @returns its path */
  async newCommunity(owner: string, body: Json = {}): Promise<string> {
    const { id } = await this.expectOk('POST', '/communities', this.as(owner), { name: 'Apes', ...body });
    return `/communities/${String(id)}`;
  }

  /** The published events of a community, in order. */
  async eventsOf(communityPath: string): Promise<CommunityEvent[]> {
    const rows = await this.query(
      `SELECT e.event FROM token_gating.recorded_jobs t, jsonb_array_elements(t.payload->'events') AS e (event)
       WHERE t.queue = 'community-events' AND e.event->>'communityId' = $1 ORDER BY t.id`,
      [idOf(communityPath)],
    );
    return rows.map((row) => communityEvent.parse((row as { event: unknown }).event));
  }

  /** The user ids of each member check job of a community. */
  async checksOf(communityPath: string): Promise<string[][]> {
    const rows = await this.query(
      `SELECT payload->'userIds' AS "userIds" FROM token_gating.recorded_jobs
       WHERE queue = 'member-checks' AND payload->>'communityId' = $1 ORDER BY id`,
      [idOf(communityPath)],
    );
    return rows.map((row) => (row as { userIds: string[] }).userIds);
  }
}

/** The id of the community at this path. */
export const idOf = (communityPath: string): string => communityPath.replace('/communities/', '');

/** The code of an error. */
export const codeOf = ({ body }: Answer): unknown =>
  (body as { error?: { details?: { code?: string } } }).error?.details?.code;
