import { setTimeout } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { encodeNumber } from '../../reads/evm/abi-codec.js';
import type { EthCallClient } from '../../call/evm/eth-call-client.js';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import type { ReadCall } from '../../reads/evm/contract-read.js';
import { IsolatedReads } from './isolated-reads.js';

const contract = `0x${'cc'.repeat(20)}` as const;
const read = (selector: string, argument = 0, to: ReadCall['to'] = contract): ReadCall => ({
  to,
  data: selector + encodeNumber(argument),
});
const HANGING = 'deadbeef';

interface SentCall {
  readonly kind: 'aggregate' | 'call';
  readonly reads: readonly ReadCall[];
}

/** A node that ends calls of one function late, by a timeout, and answers all others with their argument. */
class FakeClient implements EthCallClient {
  readonly sent: SentCall[] = [];
  pending = 0;
  mostPending = 0;
  /** Calls of the function end after this. */
  timeout: Promise<unknown> = setTimeout(30);

  async aggregate(reads: readonly ReadCall[]) {
    await this.send({ kind: 'aggregate', reads });
    const results = reads.map(({ data }) => ({ success: true, data: data.slice(8) }));
    return { results, gasSufficient: true, blockNumber: 7n };
  }

  async call(one: ReadCall) {
    await this.send({ kind: 'call', reads: [one] });
    return one.data.slice(8);
  }

  runInitCode = () => Promise.reject(new Error('not called'));
  hasGasSentinel = () => Promise.resolve(true);

  private async send(sent: SentCall): Promise<void> {
    this.sent.push(sent);
    this.pending += 1;
    this.mostPending = Math.max(this.mostPending, this.pending);
    try {
      const hangs = sent.reads.some(({ data }) => data.startsWith(HANGING));
      if (!hangs) return;
      await this.timeout;
      throw new RpcNodeError('too_heavy', 'the node took too long', { timedOut: true });
    } finally {
      this.pending -= 1;
    }
  }
}

const create = (client: EthCallClient) =>
  new IsolatedReads({
    ethCallClient: client,
    foreground: { maxBatchSize: 500, maxInFlight: 8, batchWindowMs: 1, budgetMs: 10_000 },
    quarantineMs: 60_000,
    onBatch: () => undefined,
  });

const collect = (reads: IsolatedReads, tenantId: string, calls: readonly ReadCall[]) =>
  reads.of(tenantId).collect(calls, { lane: 'foreground', tenantId });

const data = (value: number) => ({ kind: 'data', data: encodeNumber(value), blockNumber: 7n });

it('IsolatedReads: sends only calls of one function of one contract for one tenant together', async () => {
  const client = new FakeClient();
  const reads = create(client);
  const other = `0x${'dd'.repeat(20)}` as const;
  const calls = [read('aaaaaaaa', 1), read('bbbbbbbb', 2), read('aaaaaaaa', 3), read('aaaaaaaa', 4, other)];
  const [first, second] = await Promise.all(['a', 'b'].map((tenant) => collect(reads, tenant, calls)));
  expect(first).toEqual([1, 2, 3, 4].map(data));
  expect(second).toEqual(first);
  // Tenants share nothing, not even equal calls.
  expect(client.sent).toHaveLength(6);
  for (const { kind, reads: together } of client.sent) {
    expect(kind).toBe('aggregate');
    expect(new Set(together.map(({ to, data: sent }) => to + sent.slice(0, 8))).size).toBe(1);
  }
  reads.close();
});

it('T320: IsolatedReads: a function that takes all the time of a call is read alone, and nothing else is, of no tenant', async () => {
  const client = new FakeClient();
  const reads = create(client);
  const calls = [read(HANGING), read('aaaaaaaa', 1)];
  expect(await collect(reads, 'a', calls)).toMatchObject([
    { kind: 'failed', failure: { code: 'timeout' } },
    data(1),
  ]);
  client.sent.length = 0;
  await collect(reads, 'a', [read(HANGING, 1), read(HANGING, 2), read('aaaaaaaa', 1)]);
  expect(client.sent.filter(({ kind }) => kind === 'aggregate').map(({ reads: sent }) => sent)).toEqual([
    [read('aaaaaaaa', 1)],
  ]);
  expect(
    client.sent.filter(({ kind }) => kind === 'call').every(({ reads: sent }) => sent.length === 1),
  ).toBe(true);
  // The same function for another tenant is not known to be slow.
  client.sent.length = 0;
  await collect(reads, 'b', [read(HANGING, 1)]);
  expect(client.sent[0]?.kind).toBe('aggregate');
  reads.close();
});

it('T321: IsolatedReads: hundreds of functions that take all the time of a call leave places to another tenant', async () => {
  const client = new FakeClient();
  const reads = create(client);
  const hanging = (index: number) => read(HANGING, 0, `0x${index.toString(16).padStart(40, '1')}`);
  let endAttack = (): void => undefined;
  client.timeout = new Promise<void>((resolve) => (endAttack = resolve));
  const attack = collect(
    reads,
    'attacker',
    Array.from({ length: 200 }, (_, index) => hanging(index)),
  );
  await setTimeout(10);
  const victims = await Promise.all(
    ['v1', 'v2', 'v3'].map((tenant) => collect(reads, tenant, [read('aaaaaaaa', 1), read('bbbbbbbb', 2)])),
  );
  expect(victims).toEqual(victims.map(() => [data(1), data(2)]));
  expect(client.pending).toBe(6);
  expect(client.mostPending).toBeLessThanOrEqual(12);
  endAttack();
  await attack;
  reads.close();
});
