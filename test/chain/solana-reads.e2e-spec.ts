import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Address, generateKeyPairSigner, type KeyPairSigner, lamports } from '@solana/kit';
import {
  createLamportsRead,
  createMintDecimalsRead,
  createSolanaChains,
  createTokenBalanceRead,
  type SolanaRead,
  SolanaReader,
} from '@app/chain/solana';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { SolanaNode } from '../support/solana-node.js';
import { createMint, createPayer, TOKEN_2022_ADDRESS, writeTokenAccount } from '../support/solana-tokens.js';

const DEVNET = 8_000_000_000_103;
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

let cluster: SolanaCluster;
let payer: KeyPairSigner;
let first: SolanaNode;
let second: SolanaNode;
let reader: SolanaReader;

beforeAll(async () => {
  cluster = new SolanaCluster();
  payer = await createPayer(cluster);
});

beforeEach(async () => {
  [first, second] = await Promise.all([SolanaNode.start(cluster), SolanaNode.start(cluster)]);
  reader = createReader([first.url, second.url]);
});

afterEach(async () => {
  await reader.close();
  await Promise.all([first.stop(), second.stop()]);
});

const createReader = (urls: string[]): SolanaReader =>
  new SolanaReader({
    chains: createSolanaChains(new Map([[DEVNET, urls]])),
    cache: false,
  });

const newAddress = async (): Promise<Address> => (await generateKeyPairSigner()).address;

async function readOne<T>(read: SolanaRead<T>) {
  const [result] = await reader.read(DEVNET, [read]);
  return result;
}

/** A mint, and an owner who holds some of it. */
async function hold(amount: bigint): Promise<{ mint: Address; owner: Address }> {
  const [mint, owner] = await Promise.all([createMint(cluster, payer, { decimals: 2 }), newAddress()]);
  await writeTokenAccount(cluster, { mint, owner, amount });
  return { mint, owner };
}

describe('reads of a Solana cluster', () => {
  it.each([
    ['Token', undefined],
    ['Token-2022', TOKEN_2022_ADDRESS],
  ])(
    'reads of a Solana cluster: sums the accounts of an owner for a mint of %s, frozen ones included',
    async (_, program) => {
      const mint = await createMint(cluster, payer, { decimals: 9, ...(program && { program }) });
      const owner = await newAddress();
      const fields = { mint, owner, ...(program && { program }) };
      await writeTokenAccount(cluster, { ...fields, amount: 2n ** 63n });
      await writeTokenAccount(cluster, { ...fields, amount: 5n, isFrozen: true });
      await writeTokenAccount(cluster, { ...fields, owner: payer.address, amount: 100n });
      expect(await readOne(createTokenBalanceRead(mint, owner))).toMatchObject({ value: 2n ** 63n + 5n });
      expect(await readOne(createMintDecimalsRead(mint))).toMatchObject({ value: 9 });
    },
  );

  it('reads of a Solana cluster: counts no tokens of other mints, and none for an owner without accounts', async () => {
    const { mint } = await hold(7n);
    const other = await hold(3n);
    expect(await readOne(createTokenBalanceRead(mint, other.owner))).toMatchObject({ ok: true, value: 0n });
  });

  it('reads of a Solana cluster: reads the coin balance, 0 of an account that does not exist', async () => {
    const rich = await newAddress();
    cluster.svm.airdrop(rich, lamports(1_234_567_890n));
    expect(await readOne(createLamportsRead(rich))).toMatchObject({ value: 1_234_567_890n });
    expect(await readOne(createLamportsRead(await newAddress()))).toMatchObject({ ok: true, value: 0n });
  });

  it('reads of a Solana cluster: fails permanently where the mint does not exist, or is an account of another kind', async () => {
    const nothing = await newAddress();
    for (const mint of [nothing, payer.address, CLOCK])
      for (const read of [createMintDecimalsRead(mint), createTokenBalanceRead(mint, payer.address)])
        expect(await readOne<number | bigint>(read)).toMatchObject({
          ok: false,
          permanent: true,
          code: 'no_contract',
        });
  });

  it('reads of a Solana cluster: reads for 64 callers with a few HTTP requests', async () => {
    const { mint, owner } = await hold(9n);
    const others = await Promise.all(Array.from({ length: 63 }, newAddress));
    const results = await Promise.all(
      [owner, ...others].map((one) =>
        reader.read<number | bigint>(DEVNET, [
          createMintDecimalsRead(mint),
          createTokenBalanceRead(mint, one),
        ]),
      ),
    );
    expect(results.map(([, balance]) => balance?.ok && balance.value)).toEqual([9n, ...others.map(() => 0n)]);
    expect(first.posts).toBeLessThanOrEqual(3);
  });
});

describe('a Solana node that fails or lies', () => {
  it.each<[string, () => void]>([
    [
      'is down',
      () => {
        first.behave = (_, response) => Boolean(response.destroy());
      },
    ],
    [
      'hangs',
      () => {
        first.behave = () => true;
      },
    ],
    [
      'answers with HTML',
      () => {
        first.behave = (_, response) => Boolean(response.end('<html>'));
      },
    ],
    [
      'limits the rate',
      () => {
        first.behave = (_, response) => Boolean(response.writeHead(429).end());
      },
    ],
    [
      'answers too much',
      () => {
        first.behave = (_, response) => Boolean(response.end('['.repeat(9_000_000)));
      },
    ],
    [
      'serves another cluster',
      () => {
        first.change = (response, { method }) =>
          method === 'getGenesisHash'
            ? { ...response, result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' }
            : response;
      },
    ],
    [
      'has stopped',
      () => {
        first.change = (response, { method, params: [addresses] }) =>
          method === 'getMultipleAccounts' && (addresses as string[]).includes(CLOCK)
            ? { ...response, result: withOldClock(response.result) }
            : response;
      },
    ],
    [
      'answers with the tokens of another owner',
      () => {
        first.change = (response, { method }) =>
          method === 'getTokenAccountsByOwner'
            ? { ...response, result: withOtherOwner(response.result) }
            : response;
      },
    ],
    [
      'has no index of token accounts',
      () => {
        first.change = (response, { method }) =>
          method === 'getTokenAccountsByOwner'
            ? {
                id: response.id,
                error: { code: -32_010, message: 'excluded from account secondary indexes' },
              }
            : response;
      },
    ],
  ])('is not believed when it %s: the next node is asked', async (_, break_) => {
    const { mint, owner } = await hold(7n);
    break_();
    const { change } = first;
    first.change = (response, request) => withMoreTokens(change(response, request), request.method);
    expect(await readOne(createTokenBalanceRead(mint, owner))).toMatchObject({ ok: true, value: 7n });
    expect(second.posts).toBeGreaterThan(0);
  });

  it('is behind the other one: its answers stop counting', async () => {
    const { mint, owner } = await hold(7n);
    expect(await readOne(createTokenBalanceRead(mint, owner))).toMatchObject({ value: 7n });
    first.change = (response, { method }) =>
      withMoreTokens({ ...response, result: inAnEarlierSlot(response.result) }, method);
    expect(await readOne(createTokenBalanceRead(mint, owner))).toMatchObject({ value: 7n });
    expect(second.posts).toBeGreaterThan(0);
  });

  it('Solana node that fails or lies: leaves the result undetermined when no other node is left', async () => {
    const { mint, owner } = await hold(7n);
    for (const node of [first, second]) node.behave = (_, response) => Boolean(response.destroy());
    expect(await readOne(createTokenBalanceRead(mint, owner))).toMatchObject({ ok: false, permanent: false });
  });

  it.each<[string, SolanaNode['behave']]>([
    ['with HTTP 400', (_, response) => Boolean(response.writeHead(400).end())],
    [
      'with one error',
      (_, response) =>
        Boolean(response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}')),
    ],
  ])('takes no batches (%s): it gets single requests', async (_, refuse) => {
    const { mint, owner } = await hold(7n);
    await reader.close();
    reader = createReader([first.url]);
    first.behave = (body, response) => body.startsWith('[') && refuse(body, response);
    const reads = [createMintDecimalsRead(mint), createTokenBalanceRead(mint, owner)];
    expect(await reader.read<number | bigint>(DEVNET, reads)).toMatchObject([{ value: 2 }, { value: 7n }]);
  });

  it('refuses the parameters of one call in words that its caller chose: others get their results', async () => {
    const { mint, owner } = await hold(7n);
    const hostile = `RateLimit${'z'.repeat(34)}`;
    const reads = [createTokenBalanceRead(payer.address, hostile), createTokenBalanceRead(mint, owner)];
    expect(await reader.read(DEVNET, reads)).toMatchObject([
      { ok: false, permanent: true, code: 'no_contract' },
      { ok: true, value: 7n },
    ]);
  });

  it('cannot answer for one owner: others get their results', async () => {
    const { mint, owner } = await hold(7n);
    const whale = await newAddress();
    for (const node of [first, second])
      node.behave = (body, response) => body.includes(whale) && Boolean(response.end('['.repeat(9_000_000)));
    const [ofOwner, ofWhale] = await reader.read(
      DEVNET,
      [owner, whale].map((one) => createTokenBalanceRead(mint, one)),
    );
    expect(ofOwner).toMatchObject({ value: 7n });
    expect(ofWhale).toMatchObject({ ok: false, permanent: false });
  });

  it('T73: refuses reads of one tenant as too large: those of others are answered after one split', async () => {
    const { mint, owner } = await hold(7n);
    await reader.close();
    reader = createReader([first.url]);
    const whales = await Promise.all(Array.from({ length: 12 }, newAddress));
    first.behave = (body, response) =>
      whales.some((whale) => body.includes(whale)) && Boolean(response.writeHead(413).end());
    const attacks = whales.map((whale) =>
      reader.read(DEVNET, [createLamportsRead(whale)], { tenantId: 'attacker' }),
    );
    const victim = reader.read(DEVNET, [createTokenBalanceRead(mint, owner)], { tenantId: 'victim' });
    expect(await victim).toMatchObject([{ value: 7n }]);
    // The batch as a whole and the first two parts; parts of the attacker may have been sent in the meantime.
    expect(first.posts).toBeLessThanOrEqual(5);
    for (const results of await Promise.all(attacks)) expect(results).toMatchObject([{ ok: false }]);
  });

  it.each([502, 403])(
    'T121: answers HTTP %i to reads of one tenant: those of others are answered',
    async (status) => {
      const { mint, owner } = await hold(7n);
      await reader.close();
      reader = createReader([first.url]);
      const whales = await Promise.all(Array.from({ length: 8 }, newAddress));
      first.behave = (body, response) =>
        whales.some((whale) => body.includes(whale)) && Boolean(response.writeHead(status).end());
      // The whales are more than the failures in a row that end the use of a node.
      for (const whale of whales) {
        const attack = reader.read(DEVNET, [createLamportsRead(whale)], { tenantId: 'attacker' });
        const victim = reader.read(DEVNET, [createTokenBalanceRead(mint, owner)], { tenantId: 'victim' });
        expect(await victim).toMatchObject([{ value: 7n }]);
        expect(await attack).toMatchObject([{ ok: false, permanent: false }]);
      }
    },
  );
});

/** What a node that lies answers: 9 tokens in each account. */
function withMoreTokens<R extends { result?: unknown }>(response: R, method: string): R {
  if (method !== 'getTokenAccountsByOwner' || response.result === undefined) return response;
  const { value, ...rest } = response.result as { value: { account: { data: [string, string] } }[] };
  const changed = value.map(({ account, ...one }) => {
    const data = Buffer.from(account.data[0], 'base64');
    data.writeBigUInt64LE(9n, 64);
    return { ...one, account: { ...account, data: [data.toString('base64'), 'base64'] } };
  });
  return { ...response, result: { ...rest, value: changed } };
}

/** 1,000 slots earlier. */
function inAnEarlierSlot(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  const { context, ...rest } = result as { context: { slot: number } };
  return { ...rest, context: { ...context, slot: context.slot - 1_000 } };
}

/** The response to a request for the clock and others, with a clock of ten minutes ago. */
function withOldClock(result: unknown): unknown {
  const { value, ...rest } = result as { value: ({ data: [string, string] } | null)[] };
  const [clock, ...others] = value;
  const data = Buffer.from(clock?.data[0] ?? '', 'base64');
  data.writeBigInt64LE(data.readBigInt64LE(32) - 600n, 32);
  return { ...rest, value: [{ ...clock, data: [data.toString('base64'), 'base64'] }, ...others] };
}

function withOtherOwner(result: unknown): unknown {
  const { value, ...rest } = result as { value: { pubkey: string; account: { data: [string, string] } }[] };
  const changed = value.map(({ pubkey, account }) => {
    const data = Buffer.from(account.data[0], 'base64');
    data.fill(1, 32, 64);
    return { pubkey, account: { ...account, data: [data.toString('base64'), 'base64'] } };
  });
  return { ...rest, value: changed };
}
