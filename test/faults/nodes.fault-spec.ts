import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { rpcError } from '../support/hostile-node-fixture.js';
import { forwardTo, HostileNode, type NodeBehaviour, onCalls, reply } from '../support/hostile-node.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { Product } from './product.js';

const MIB = 1024 * 1024;

describe('a node', () => {
  let product: Product;
  let bad: HostileNode;
  let behaviour: NodeBehaviour;

  beforeAll(async () => {
    bad = await HostileNode.start((request, response) => behaviour(request, response));
    product = await Product.start({ instances: 0 });
  });

  afterEach(() => {
    product.reset();
  });

  afterAll(async () => {
    await product.stop();
    await bad.stop();
  });

  const granted = { roles: [{ id: 'rich', granted: true }] };

  /** Starts an instance without state about its nodes, instead of another one. */
  const start = async (urls: string[], env: Record<string, string> = {}): Promise<RunningApp> => {
    await product.endInstances();
    return product.addInstance({ RPC_URL_31337: urls.join(','), ...env });
  };
  const beside = (env?: Record<string, string>) => start([bad.url, product.node.node.url], env);
  const alone = (env?: Record<string, string>) => start([bad.url], env);

  const text =
    (status: number, body: string): NodeBehaviour =>
    (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

  /** Checks that the role is undetermined in a synchronous check and that an asynchronous one has no result yet. */
  const expectUndetermined = async (what = ''): Promise<void> => {
    const { status, body } = await product.check();
    expect([what, status]).toEqual([what, 503]);
    const errors = [{ roleId: 'rich', name: 'NodeUnavailableError', retryable: true }];
    expect(body).toMatchObject({ error: { details: { code: 'roles_unavailable', errors } } });
  };

  it('T18: node that never answers: times out, its sockets are closed, and the other node is used', async () => {
    behaviour = onCalls(() => undefined);
    const app = await beside();
    const answers = await Promise.all(Array.from({ length: 50 }, () => product.check()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const id = await product.accepted();
    expect(await product.result(id)).toEqual(product.granted(id));
    await until('its sockets are closed', () => bad.sockets.size <= 2);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => product.check()));
      await until('no more sockets than before', () => bad.sockets.size <= 2);
    }
    expect(app.process.exitCode).toBeNull();
  });

  it('T18: node that never answers and is the only one: blocks no check indefinitely', async () => {
    behaviour = onCalls(() => undefined);
    await alone({ CHECK_REREAD_FOR_MS: '3000' });
    await expectUndetermined();
    const id = await product.accepted();
    expect(await product.result(id)).toMatchObject({
      roles: [{ id: 'rich', granted: false }],
      errors: [{ roleId: 'rich', retryable: true }],
    });
  });

  it('T19: node that limits the rate: gets few requests, and is used again when it allows it', async () => {
    let isBusy = true;
    let refused = 0;
    behaviour = onCalls((request, response) => {
      if (!isBusy) return forwardTo(product.node.chain.rpcUrl)(request, response);
      refused += 1;
      response.writeHead(429, { 'retry-after': '2' }).end();
    });
    await alone();
    const ids = await Promise.all(Array.from({ length: 20 }, () => product.accepted()));
    await sleep(5_000);
    // Twenty checks in five seconds, with a Retry-After of two seconds plus jitter.
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(20);
    isBusy = false;
    for (const id of ids) expect(await product.result(id)).toEqual(product.granted(id));
  });

  const ERRORS = Object.entries({
    '-32005': rpcError(-32005, 'limit exceeded'),
    '-32000': rpcError(-32000, 'header not found'),
  });

  it('T20: node that answers 200 with an error: is passed over', async () => {
    await beside({ RPC_CACHE: 'off' });
    for (const [code, error] of ERRORS) {
      behaviour = onCalls(error);
      const asked = bad.count('eth_call');
      await until(`asked, to answer ${code}`, async () => {
        expect(await product.check()).toMatchObject({ status: 200, body: granted });
        return bad.count('eth_call') > asked;
      });
    }
  });

  const another: NodeBehaviour = (_, response) => {
    reply(response, 4711, { result: '0x' });
  };

  it('T22: node of another chain: is skipped, and the others are used', async () => {
    behaviour = (request, response) => {
      if (request.method === 'eth_chainId') reply(response, request.id, { result: '0x1' });
      else reply(response, request.id, { result: `0x${'0'.repeat(640)}` });
    };
    const before = bad.count('eth_call');
    const app = await beside();
    for (let time = 0; time < 5; time += 1)
      expect(await product.check()).toMatchObject({ status: 200, body: granted });
    expect(bad.count('eth_call')).toBe(before);
    await alone();
    await expectUndetermined();
    expect(bad.count('eth_call')).toBe(before);
    expect(app.logLines.join('\n')).not.toContain(bad.url);
  });

  it('T23: node that answers with 200 MB: is cut off at the size limit, without using memory', async () => {
    let sent = 0;
    behaviour = onCalls((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      return pour(response, 200 * MIB, (bytes) => (sent += bytes));
    });
    const app = await beside({ RPC_TIMEOUT_MS: '8000' });
    const peakMemory = async (): Promise<number> => {
      const status = await readFile(`/proc/${app.process.pid ?? 0}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    };
    const before = await peakMemory();
    expect(await product.check()).toMatchObject({ status: 200, body: granted });
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(50 * MIB);
    expect((await peakMemory()) - before).toBeLessThan(100 * MIB);
  });

  describe('that is the only one', () => {
    let app: RunningApp;

    beforeAll(async () => {
      app = await alone({ RPC_CACHE: 'off' });
    });

    it.each(ERRORS)(
      'T20: only node that answers 200 with the error %s: is never an empty wallet, then or later',
      async (_, error) => {
        behaviour = onCalls(error);
        await expectUndetermined();
        const id = await product.accepted();
        behaviour = forwardTo(product.node.chain.rpcUrl);
        await until('granted', async () => (await product.check()).status === 200);
        expect((await product.check()).body).toEqual(granted);
        expect(await product.result(id)).toEqual(product.granted(id));
      },
    );

    it('T21: only node that answers what no node should: is an error of its own kind each time, and ends nothing', async () => {
      const answers: Record<string, NodeBehaviour> = {
        500: text(500, 'oops'),
        HTML: text(200, '<html>Welcome</html>'),
        'JSON that breaks off': text(200, '{"jsonrpc":"2.0","id":2,"result":"0x00'),
        'another id': another,
        'a list': text(
          200,
          '[{"jsonrpc":"2.0","id":2,"result":"0x"},{"jsonrpc":"2.0","id":1,"result":"0x"}]',
        ),
        nothing: (_, response) => void response.destroy(),
      };
      for (const [what, answer] of Object.entries(answers)) {
        behaviour = onCalls(answer);
        await expectUndetermined(what);
        expect(app.process.exitCode).toBeNull();
        behaviour = forwardTo(product.node.chain.rpcUrl);
        await until(`granted after ${what}`, async () => (await product.check()).status === 200);
      }
    });
  });
});

/** Writes zeros, as fast as the client reads, until it disconnects. */
async function pour(response: ServerResponse, size: number, onSent: (bytes: number) => void): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024, '0');
  const zeros = function* () {
    for (let sent = 0; sent < size; sent += chunk.length) {
      onSent(chunk.length);
      yield chunk;
    }
  };
  await pipeline(zeros, response).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
      throw error;
  });
}
