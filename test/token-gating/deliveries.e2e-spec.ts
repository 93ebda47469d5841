import { createPublicKey, verify } from 'node:crypto';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { PrincipalIssuer } from '@app/auth';
import { LocalChain } from '../support/local-chain.js';
import { type Receiver, receiver } from '../support/receiver.js';
import { GatingApp } from './gating-app.js';
import { until } from '../support/until.js';

interface Seen {
  at: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const RETRY_AFTER_MS = [200, 300, 400];

describe('callbacks', () => {
  let chain: LocalChain;
  let sql: pg.Client;
  let gating: GatingApp;
  let here: Receiver;
  let rule: object;
  let holder: string;
  let seen: Seen[] = [];
  let answer: RequestListener;

  beforeAll(async () => {
    chain = await LocalChain.start();
    await chain.installMulticall3();
    holder = chain.client.account.address;
    rule = { type: 'NATIVE', chainId: 31337, minToken: '1', roleId: 'rich' };
    here = await receiver((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        seen.push({ at: Date.now(), headers: request.headers, body });
        answer(request, response);
      });
    });
    gating = await GatingApp.start({
      RPC_URL_31337: chain.rpcUrl,
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
      CALLBACK_RETRY_AFTER_MS: RETRY_AFTER_MS.join(','),
      CALLBACK_POLL_MS: '100',
      SWEEP_INTERVAL_MS: '200',
      SWEEP_AFTER_MS: '2000',
    });
    sql = new pg.Client({ connectionString: gating.databaseUrl });
    await sql.connect();
  });

  afterAll(async () => {
    await sql.end();
    await gating.stop();
    await here.stop();
    await chain.stop();
  });

  beforeEach(() => {
    seen = [];
    answer = (_request, response) => response.writeHead(204).end();
  });

  const check = async (path = '/hook'): Promise<string> => {
    const callbackUrl = `http://127.0.0.1:${here.port}${path}`;
    const { status, body } = await gating.check({ account: holder, rules: [rule], callbackUrl });
    expect(status).toBe(200);
    return (body as { requestId: string }).requestId;
  };

  const state = async (requestId: string) => {
    const { rows } = await sql.query<{ id: string; state: string; attempts: number }>(
      'SELECT id, state, attempts FROM token_gating.deliveries WHERE check_id = $1 ORDER BY created_at',
      [requestId],
    );
    return rows;
  };

  const settled = async (requestId: string) => {
    let rows = await state(requestId);
    await until('the deliveries are settled', async () => {
      rows = await state(requestId);
      return rows.length > 0 && rows.every((row) => row.state !== 'pending');
    });
    return rows;
  };

  const publicKeys = async (): Promise<Record<string, string>[]> => {
    const issuer = new PrincipalIssuer(gating.signingKey('identity'));
    const token = await issuer.issueToken({ kind: 'service', name: 'identity' }, 'token-gating');
    const response = await fetch(`${gating.app.url}/internal/jwks`, {
      headers: { 'x-gatehouse-principal': token },
    });
    return ((await response.json()) as { keys: Record<string, string>[] }).keys;
  };

  it('callbacks: carry the result, signed by Standard Webhooks, under both header families', async () => {
    const requestId = await check();
    const [delivery] = await settled(requestId);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1 });
    const [{ headers, body } = { headers: {} as IncomingHttpHeaders, body: '' }] = seen;
    expect(JSON.parse(body)).toEqual({
      requestId,
      clientId: 'client_1',
      roles: [{ id: 'rich', granted: true }],
    });
    expect(headers['x-service-delivery-id']).toBe(delivery?.id);
    for (const [ours, standard] of [
      ['x-service-delivery-id', 'webhook-id'],
      ['x-service-timestamp', 'webhook-timestamp'],
      ['x-service-signature', 'webhook-signature'],
    ] as const) {
      expect(headers[standard]).toBe(headers[ours]);
    }
    const key = (await publicKeys()).find(({ kid }) => kid === headers['x-service-key-id']);
    const signature = String(headers['webhook-signature']).replace(/^v1a,/, '');
    const valid = (content: string) =>
      verify(
        null,
        Buffer.from(content),
        createPublicKey({ key: key ?? {}, format: 'jwk' }),
        Buffer.from(signature, 'base64'),
      );
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
    expect(valid(signed)).toBe(true);
    for (let at = 0; at < signed.length; at += 7) {
      expect(valid(`${signed.slice(0, at)}${signed[at] === 'x' ? 'y' : 'x'}${signed.slice(at + 1)}`)).toBe(
        false,
      );
    }
  });

  it('callbacks: are retried on schedule, with the same id and a new signature, and delivered once', async () => {
    let failures = 3;
    answer = (_request, response) => response.writeHead(failures-- > 0 ? 500 : 200).end();
    const [delivery] = await settled(await check());
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 4 });
    expect(seen).toHaveLength(4);
    expect(new Set(seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    seen.slice(1).forEach(({ at }, index) => {
      expect(at - (seen[index]?.at ?? 0)).toBeGreaterThanOrEqual((RETRY_AFTER_MS[index] ?? 0) * 0.8 - 20);
    });
    const { rows } = await sql.query(
      'SELECT attempt, status FROM token_gating.delivery_attempts WHERE delivery_id = $1',
      [delivery?.id],
    );
    expect(rows.map(({ status }: { status: number }) => status)).toEqual([500, 500, 500, 200]);
  });

  it('callbacks: fail when the retry schedule is exhausted', async () => {
    answer = (_request, response) => response.writeHead(503).end();
    expect(await settled(await check())).toMatchObject([{ state: 'failed', attempts: 4 }]);
  });

  it.each([301, 302, 307, 308])('follow no redirect: %i is retried', async (status) => {
    let first = true;
    answer = (_request, response) => {
      response.writeHead(first ? status : 200, { location: '/elsewhere' }).end();
      first = false;
    };
    expect(await settled(await check())).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect(seen).toHaveLength(2);
  });

  it('callbacks: fail at once on 410 and honour Retry-After', async () => {
    answer = (_request, response) => response.writeHead(410).end();
    expect(await settled(await check())).toMatchObject([{ state: 'failed', attempts: 1 }]);
    expect(seen).toHaveLength(1);
    seen = [];
    let first = true;
    answer = (_request, response) => {
      response.writeHead(first ? 429 : 200, { 'retry-after': '1' }).end();
      first = false;
    };
    expect(await settled(await check())).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it('callbacks: are redelivered on request, under a new delivery id', async () => {
    const requestId = await check();
    await settled(requestId);
    const again = await gating.request(
      'POST',
      `/access-control/check-roles/responses/${requestId}/redeliveries`,
    );
    expect(again.status).toBe(200);
    const rows = await settled(requestId);
    expect(rows.map((row) => row.state)).toEqual(['delivered', 'delivered']);
    expect(seen[0]?.body).toBe(seen[1]?.body);
    expect(seen[0]?.headers['webhook-id']).not.toBe(seen[1]?.headers['webhook-id']);
  });

  it('T55: callbacks: are redelivered at most nine times', async () => {
    const requestId = await check();
    await settled(requestId);
    const redeliver = () =>
      gating.request('POST', `/access-control/check-roles/responses/${requestId}/redeliveries`);
    for (let sent = 1; sent < 10; sent += 1) expect((await redeliver()).status).toBe(200);
    expect(await redeliver()).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'redelivery_limit_exceeded' } } },
    });
    expect(await settled(requestId)).toHaveLength(10);
  });

  it('T78: callbacks: are redelivered at most nine times by concurrent requests', async () => {
    const requestId = await check();
    await settled(requestId);
    const path = `/access-control/check-roles/responses/${requestId}/redeliveries`;
    const requests = Array.from({ length: 20 }, () => gating.request('POST', path));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(9);
    expect(statuses.filter((status) => status === 409)).toHaveLength(11);
    expect(await settled(requestId)).toHaveLength(10);
  });

  it('callbacks: run at most eight at a time to one receiver, without loss or repetition', async () => {
    let concurrent = 0;
    let maxConcurrent = 0;
    answer = (_request, response) => {
      maxConcurrent = Math.max(maxConcurrent, ++concurrent);
      setTimeout(() => {
        concurrent -= 1;
        response.writeHead(200).end();
      }, 5);
    };
    const id = await check();
    await settled(id);
    const count = 400;
    await sql.query(
      `INSERT INTO token_gating.deliveries (id, check_id, url, next_attempt_at)
       SELECT 'msg_' || at, $1, $2, now() FROM generate_series(1, $3::int) AS at`,
      [id, `http://127.0.0.1:${here.port}/many`, count],
    );
    const rows = await settled(id);
    expect(rows.filter((row) => row.state === 'delivered' && row.attempts === 1)).toHaveLength(count + 1);
    const ids = seen.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size, maxConcurrent]).toEqual([count + 1, count + 1, 8]);
    const metrics = await (await fetch(`${gating.app.managementUrl}/metrics`)).text();
    expect(metrics).toMatch(/callback_attempts_total\{[^}]*outcome="delivered"[^}]*\} \d+/);
    expect(metrics).toMatch(/callbacks_due(\{[^}]*\})? 0/);
  });

  it('callbacks: keep their expired check only until they are delivered', async () => {
    answer = () => undefined;
    const id = await check();
    await until('a callback arrived', () => seen.length > 0);
    const left = async () =>
      (await sql.query('SELECT FROM token_gating.checks WHERE id = $1', [id])).rowCount;
    await sql.query("UPDATE token_gating.checks SET expires_at = now() - interval '1 day' WHERE id = $1", [
      id,
    ]);
    await sleep(500); // a few sweeps
    expect(await left()).toBe(1);
    await sql.query("UPDATE token_gating.deliveries SET state = 'failed' WHERE check_id = $1", [id]);
    await until('the check is deleted', async () => (await left()) === 0);
  });

  it('callbacks: are not delayed by a hanging receiver', async () => {
    answer = (request, response) => {
      if (request.url !== '/hangs') response.writeHead(200).end();
    };
    const hanging = await receiver(() => undefined);
    const hangs = Array.from({ length: 30 }, async () => {
      const callbackUrl = `http://127.0.0.1:${hanging.port}/`;
      await gating.check({ account: holder, rules: [rule], callbackUrl });
    });
    await Promise.all(hangs);
    const ids = await Promise.all(Array.from({ length: 20 }, () => check()));
    for (const id of ids) expect(await settled(id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    const { rows } = await sql.query("SELECT count(*) FROM token_gating.deliveries WHERE state = 'pending'");
    expect(Number((rows[0] as { count: string }).count)).toBe(30);
    await hanging.stop();
  });

  it('T54: callbacks: take turns by tenant where there is a backlog', async () => {
    const id = await check();
    await settled(id);
    const insert = (tenantId: string, path: string, count: number, age: string) =>
      sql.query(
        `INSERT INTO token_gating.deliveries (id, tenant_id, check_id, url, created_at, next_attempt_at)
         SELECT 'msg_' || gen_random_uuid(), $1, $2, $3, now() - $4::interval, now() - $4::interval
         FROM generate_series(1, $5::int)`,
        [tenantId, id, `http://127.0.0.1:${here.port}${path}`, age, count],
      );
    const countNeverClaimed = async () => {
      const { rows } = await sql.query<{ count: number }>(
        `SELECT count(*)::int FROM token_gating.deliveries WHERE tenant_id = 'many' AND next_attempt_at = created_at`,
      );
      return rows[0]?.count ?? 0;
    };
    let left: Promise<number> | undefined;
    answer = ({ url }, response) => {
      if (url === '/few') left ??= countNeverClaimed();
      response.writeHead(204).end();
    };
    // A single transaction, so that no claim runs between the two.
    await sql.query('BEGIN');
    await insert('many', '/many', 20_000, '1 minute');
    await insert('few', '/few', 1, '1 second');
    await sql.query('COMMIT');
    await until('the callback of the other tenant came', () => left !== undefined);
    expect(await left).toBeGreaterThan(0);
  });
});
