import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
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

describe('T326: one wallet of two thousand', () => {
  const wallets = Array.from({ length: 2_000 }, (_, index) => read('aaaaaaaa', index));
  const isFirst = ({ data: sent }: ReadCall) => sent === read('aaaaaaaa', 0).data;
  const readAll = (reads: IsolatedReads) =>
    reads.of('a').collect(wallets, { lane: 'background', tenantId: 'a' });

  /** A node that answers every read with its argument, except that one kind of call fails or answers something else. */
  class OneWalletClient extends FakeClient {
    constructor(private readonly answerFirst: (kind: SentCall['kind']) => string) {
      super();
    }

    override async aggregate(reads: readonly ReadCall[]) {
      const answer = await super.aggregate(reads);
      const results = reads.map((one, index) =>
        isFirst(one)
          ? { success: true, data: this.answerFirst('aggregate') }
          : (answer.results[index] ?? { success: false, data: '' }),
      );
      return { ...answer, results };
    }

    override async call(one: ReadCall) {
      const answer = await super.call(one);
      return isFirst(one) ? this.answerFirst('call') : answer;
    }
  }

  const reject = (): never => {
    throw new RpcNodeError('rejected', 'internal error', { unexplained: true, alive: true });
  };

  it('T326: wallet with a long array: is read with the others, again and again', async () => {
    const long = encodeNumber(7).repeat(1_000);
    const client = new OneWalletClient(() => long);
    const reads = create(client);
    for (let round = 0; round < 2; round += 1) {
      client.sent.length = 0;
      const [first, ...others] = await readAll(reads);
      expect(first).toMatchObject({ kind: 'data', data: long });
      expect(others).toEqual(wallets.slice(1).map((_, index) => data(index + 1)));
      expect(client.sent).toHaveLength(4);
    }
    // A single read of it says nothing against the function either.
    await reads.of('a').collect([read('aaaaaaaa', 0)], { lane: 'foreground', tenantId: 'a' });
    expect(await readAll(reads)).toHaveLength(2_000);
    expect(client.sent.every(({ kind }) => kind === 'aggregate')).toBe(true);
    reads.close();
  });

  it.each<[string, () => never, string]>([
    ['that a node refuses', reject, 'unavailable'],
    [
      'that burns all gas',
      () => {
        throw new RpcNodeError('out_of_gas', 'no gas');
      },
      'out_of_gas',
    ],
    [
      'with 3 MB',
      () => {
        throw new RpcNodeError('flooded', 'the contract returned too much data');
      },
      'malformed_answer',
    ],
  ])('T326: wallet %s: fails alone, and the others are read together', async (_, fail, code) => {
    const client = new OneWalletClient(fail);
    const reads = create(client);
    for (let round = 0; round < 2; round += 1) {
      client.sent.length = 0;
      const [first, ...others] = await readAll(reads);
      expect(first).toMatchObject({ kind: 'failed', failure: { code } });
      expect(others.map((result) => result?.kind)).toEqual(others.map(() => 'data'));
      expect(client.sent.length).toBeLessThan(40);
    }
    reads.close();
  });

  it('T326: a node that fails for a moment: delays one read, and leaves the function together', async () => {
    let failures = 2;
    const client = new (class extends FakeClient {
      override async aggregate(reads: readonly ReadCall[]) {
        if (failures-- > 0) reject();
        return super.aggregate(reads);
      }

      override async call(one: ReadCall) {
        if (failures-- > 0) reject();
        return super.call(one);
      }
    })();
    const reads = create(client);
    const failed = (await readAll(reads)).filter((result) => result?.kind !== 'data');
    expect(failed).toHaveLength(1);
    client.sent.length = 0;
    expect((await readAll(reads)).every((result) => result?.kind === 'data')).toBe(true);
    expect(client.sent).toHaveLength(4);
    reads.close();
  });
});

it('T320: IsolatedReads: all wallets of a function in quarantine are read, one by one', async () => {
  const client = new FakeClient();
  const reads = create(client);
  await collect(reads, 'a', [read(HANGING), read(HANGING, 1)]);
  // Each call now ends at once.
  client.timeout = Promise.resolve();
  const hanging = Array.from({ length: 2_000 }, (_, index) => read(HANGING, index));
  const results = await reads.of('a').collect(hanging, { lane: 'background', tenantId: 'a' });
  expect(results.map((result) => result?.kind === 'failed' && result.failure.code)).toEqual(
    hanging.map(() => 'timeout'),
  );
  reads.close();
});
