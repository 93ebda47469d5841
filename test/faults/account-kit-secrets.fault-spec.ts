import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { root } from '../../scripts/build/project.mjs';
import { SignerFork } from '../account-kit/keys/signer-fork.js';
import { LocalRedis } from '../support/local-redis.js';
import { describeWithRedis } from '../support/needs.js';
import { RedisMonitor } from '../support/redis-monitor.js';
import type { RunningApp } from '../support/running-app.js';
import { type SeenSpan, TraceCollector } from '../support/trace-collector.js';
import { until } from '../support/until.js';
import { AccountKitWorld } from './account-kit-world.js';
import { findSigner } from './killed-replica.js';
import type { Instance } from './instance-places.js';

const USER = '4711';
const MICROBLOG_TOKEN = `microblog-demo-token-${USER}`;

let world: AccountKitWorld;
let instance: Instance;
let collector: TraceCollector;
/** The Redis of `instance`. Other instances have their queues on PostgreSQL, whose tables are searched. */
let redis: LocalRedis;
let monitor: RedisMonitor;
/** Everything that an app has answered. */
const answers: string[] = [];

/** The secrets in the encodings in which they may be printed or stored. */
function secretTexts(): string[] {
  const { kit, executorKeys } = world;
  const { botToken, oauthToken, codehostApp } = kit.platforms;
  const tokens = [botToken(USER), MICROBLOG_TOKEN, oauthToken(USER), kit.client.apiKey];
  const keys = executorKeys.map((key) => Buffer.from(key.slice(2), 'hex'));
  const keyRoot = kit.suite.secrets.accountKeySecret;
  const credentials = `${codehostApp.oauthClientId}:${codehostApp.secret}`;
  const texts = [...tokens, keyRoot, codehostApp.secret, credentials].map((text) => Buffer.from(text));
  return [
    ...tokens,
    keyRoot,
    codehostApp.secret,
    ...[...texts, ...keys].flatMap((bytes) => [bytes.toString('hex'), bytes.toString('base64')]),
  ];
}

const findSecrets = (text: string): string[] =>
  secretTexts().filter((secret) => text.toLowerCase().includes(secret.toLowerCase()));

async function call(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<void> {
  const response = await world.call(instance.gateway, path, USER, { body, headers });
  answers.push(JSON.stringify(response.body));
}

/** The columns of every table of all apps and of the queues as text; bytes in hex. */
async function readTables(): Promise<string> {
  const { rows: tables } = await world.pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await world.pool.query<{ text: string }>(
        `SELECT one::text AS text FROM ${name} AS one`,
      );
      return rows.map(({ text }) => text).join('\n');
    }),
  );
  return texts.join('\n');
}

function readCommandLines({ process: { pid } }: RunningApp): string {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
    .trim()
    .split(' ');
  expect(children).not.toEqual(['']);
  return [String(pid), ...children].map((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8')).join('\n');
}

describeWithRedis('account-kit with queues on Redis', () => {
  beforeAll(async () => {
    collector = await TraceCollector.start();
    const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '1' };
    world = await AccountKitWorld.start(tracing);
    redis = await LocalRedis.start();
    monitor = await RedisMonitor.start(redis);
    instance = await world.startInstance({ LOG_LEVEL: 'trace', REDIS_URL: redis.url });
  });

  afterAll(async () => {
    await world.stop();
    monitor.stop();
    await redis.stop();
    await collector.stop();
  });

  describe('traces of account-kit', () => {
    it('account-kit with queues on Redis, traces of account-kit: lead from the gateway to the nodes, the rows and the process that holds the keys', async () => {
      await world.fundedAccount(instance, '4712');
      expect((await world.submit(instance, '4712', 1n)).status).toBe(200);
      const request = [
        'gateway: POST AccountKitController.submitUserOperation',
        'gateway: forward account-kit',
        'account-kit: POST /accountkit/v1/chatbot/evm/submitUserOperation',
      ] as const;
      const submitted = ({ traceId }: SeenSpan) =>
        collector.spans.some((span) => span.traceId === traceId && span.name.includes('submitUserOperation'));
      for (const name of [/^call signer$/, /^node request$/, /^\w+ account_kit\.\w+$/])
        await until(`${String(name)} is traced`, () =>
          collector.spans.some((span) => name.test(span.name) && submitted(span)),
        );
      const pathToSigner = (): string[] => {
        const span = collector.spans.find((one) => one.name === 'call signer' && submitted(one));
        return span ? collector.pathOf(span) : [];
      };
      // The gateway exports its spans on its own.
      await until('the request is traced', () => pathToSigner().includes(request[0]));
      expect(pathToSigner()).toEqual([...request, 'account-kit: call signer']);
    });
  });

  describe('secrets of account-kit', () => {
    it('T111: account-kit with queues on Redis, secrets of account-kit: are in no log, answer, row, Redis command, metric, trace or command line, whatever fails', async () => {
      const { chain, platforms } = world.kit;
      await world.fundedAccount(instance, USER);
      const chainId = `chainId=${chain.chainId}`;
      const body = { target: world.executors[0], value: '1' };
      const paid = await world.submit(instance, USER, 1n);
      await world.untilIncluded(USER);
      const token = { 'X-ACCESS-TOKEN': MICROBLOG_TOKEN };
      await call('/accountkit/v2/platform/accounts?platform=microblog', undefined, token);
      await call(
        `/accountkit/v2/platform/evm/submitUserOperation?platform=microblog&${chainId}`,
        { userOps: [body] },
        token,
      );
      await call(`/accountkit/v1/chatbot/evm/submitUserOperation?${chainId}`, body);
      await call(`/accountkit/v1/chatbot/evm/mint?${chainId}`, { name: 'Coin', symbol: 'C', metadata: {} });
      await call(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=1`, body);
      await call(`/accountkit/v1/chatbot/evm/submitUserOperation?${chainId}`, { target: 'nonsense' });
      await call('/accountkit/v1/chatbot/accounts', undefined, {
        'X-BOT-TOKEN': `${platforms.botToken(USER)}%00`,
      });
      // The platform's URL holds the token: it fails in every way that a request can fail.
      const replies: readonly ((response: ServerResponse) => void)[] = [
        (response) => {
          response.destroy();
        },
        (response) => {
          response.writeHead(302, { location: `http://127.0.0.1/${platforms.botToken(USER)}` }).end();
        },
        (response) => {
          response.writeHead(500).end();
        },
      ];
      await world.setCodehostApp();
      const fresh = await world.startInstance({ LOG_LEVEL: 'trace', ACCEPT_UNBOUND_TOKENS: 'off' });
      const oauthToken = platforms.oauthToken(USER);
      answers.push(JSON.stringify((await world.signWith(fresh, oauthToken)).body));
      const anotherToken = platforms.oauthToken(USER, 'Iv1.other000000000');
      expect((await world.signWith(fresh, anotherToken)).status).toBe(403);
      for (const reply of replies) {
        platforms.intercept = (_, response) => {
          reply(response);
          return true;
        };
        const { status, body: answer } = await world.call(
          fresh.gateway,
          '/accountkit/v1/chatbot/accounts',
          USER,
        );
        expect(status).toBeGreaterThanOrEqual(500);
        answers.push(JSON.stringify(answer));
        // The user is known from before; the check that the token is the application's fails.
        await world.pool.query('UPDATE account_kit.codehost_apps SET version = gen_random_uuid()');
        const check = await world.signWith(fresh, oauthToken);
        expect(check.status).toBeGreaterThanOrEqual(500);
        answers.push(JSON.stringify(check.body));
      }
      await platforms.stop();
      answers.push(
        JSON.stringify((await world.call(fresh.gateway, '/accountkit/v1/chatbot/accounts', USER)).body),
      );

      const apps = [instance, fresh].flatMap(({ app, gateway }) => [app, gateway]);
      const metrics = await Promise.all(
        apps.map(async ({ managementUrl }) => (await fetch(`${managementUrl}/metrics`)).text()),
      );
      await until('the last call is traced', () => collector.received.includes('account-kit'));
      const { userOperationHash } = paid.body;
      await until('events of the operation are in the queue', () =>
        monitor.received.includes(userOperationHash),
      );
      const places = {
        answers: answers.join('\n'),
        logs: apps.flatMap(({ logLines }) => logLines).join('\n'),
        metrics: metrics.join('\n'),
        rows: await readTables(),
        traces: collector.received,
        Redis: monitor.received,
        'command lines': readCommandLines(instance.app),
      };
      for (const [place, text] of Object.entries(places)) {
        expect([place, text.length > 100]).toEqual([place, true]);
        expect([place, findSecrets(text)]).toEqual([place, []]);
      }
      // The search finds what is there.
      expect(findSecrets(`a ${platforms.botToken(USER)} b`)).toHaveLength(1);
    });

    it('T144: account-kit with queues on Redis, secrets of account-kit: are not in what an app or its signer process writes when it crashes, nor where it does not need them', async () => {
      const preload = `--import ${pathToFileURL(`${root}/test/faults/end-badly.mjs`).href}`;
      for (const signal of ['SIGUSR2', 'SIGHUP'] as const) {
        const { app } = await world.startInstance({ NODE_OPTIONS: preload, LOG_LEVEL: 'trace' });
        const signer = findSigner(app);
        const environment = readFileSync(`/proc/${String(signer)}/environ`, 'utf8');
        // The process that holds the keys loads no code for the app, and cannot call other apps.
        expect(environment).toContain('ACCOUNT_KEY_SECRET=');
        expect(environment).not.toMatch(/NODE_OPTIONS=|INTERNAL_SIGNING_KEY=/);
        await app.stop(signal);
        const output = app.logLines.join('\n');
        expect(output).toContain(signal === 'SIGUSR2' ? 'DATABASE_URL' : 'Native stack trace');
        expect([signal, findSecrets(output)]).toEqual([signal, []]);
      }

      const { accountKeySecret } = world.kit.suite.secrets;
      const signer = new SignerFork({
        DATABASE_URL: world.kit.suite.databaseUrl,
        ACCOUNT_KEY_SECRET: accountKeySecret,
        EXECUTOR_KEYS: world.executorKeys.join(),
      });
      await until('it is ready', async () => (await signer.call({ type: 'ping' })).status === 'done');
      void signer.call({ type: 'give me the keys' });
      await until('the signer process has crashed', () => signer.output.includes('ZodError'));
      await signer.stop();
      expect(findSecrets(signer.output)).toEqual([]);

      const written = readdirSync(root).filter((name) => /^(?:report\.|core$|core\.|Heap\.)/.test(name));
      expect(written).toEqual([]);
      for (const file of ['docker/Dockerfile', 'docker/compose.yaml'])
        expect(readFileSync(`${root}/${file}`, 'utf8')).not.toMatch(
          /--report|--abort-on|--inspect|--heapsnapshot/,
        );
    });
  });
});
