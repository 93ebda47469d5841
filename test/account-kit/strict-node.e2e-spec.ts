import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Hex, padHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { LocalChain } from '../support/local-chain.js';
import { NODE_MAX_TRANSACTION_BYTES, NODE_MAX_TRANSACTION_GAS } from '../support/strict-node.js';

const GWEI = 10n ** 9n;
const FEES = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
const account = privateKeyToAccount(generatePrivateKey());
let chain: LocalChain;

beforeAll(async () => {
  chain = await LocalChain.startStrict();
  await chain.setNativeBalance(account.address, 10n ** 18n);
});

afterAll(() => chain.stop());

const sign = (fields: { data?: Hex; gas?: bigint; maxFeePerGas?: bigint; maxPriorityFeePerGas?: bigint }) =>
  account.signTransaction({
    chainId: chain.chainId,
    type: 'eip1559',
    nonce: 0,
    to: account.address,
    gas: 10_000_000n,
    ...FEES,
    ...fields,
  });

async function send(raw: Hex): Promise<unknown> {
  const response = await fetch(chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] }),
  });
  return response.json();
}

const refusal = (message: string) => ({ error: { message: expect.stringContaining(message) } });

it('LocalChain.startStrict: the node refuses a transaction that nodes of Ethereum refuse', async () => {
  const { baseFeePerGas } = await chain.client.getBlock();
  expect(baseFeePerGas).toBeGreaterThan(0n);
  const data = padHex('0x', { size: NODE_MAX_TRANSACTION_BYTES });
  expect(await send(await sign({ data }))).toMatchObject(refusal('oversized data'));
  const gas = NODE_MAX_TRANSACTION_GAS + 1n;
  expect(await send(await sign({ gas }))).toMatchObject(refusal('transaction gas limit too high'));
  expect(await send(await sign({ maxFeePerGas: 101n * GWEI }))).toMatchObject(
    refusal('tx fee (1.01 ether) exceeds the configured cap (1.00 ether)'),
  );
  const maxFeePerGas = 1n;
  expect(await send(await sign({ maxFeePerGas, maxPriorityFeePerGas: 1n }))).toMatchObject(
    refusal('max fee per gas less than block base fee'),
  );
  expect(await chain.client.getTransactionCount({ address: account.address })).toBe(0);
});

it('LocalChain.startStrict: the node mines a transaction at the limits', async () => {
  const raw = await sign({
    data: padHex('0x', { size: NODE_MAX_TRANSACTION_BYTES - 200 }),
    gas: NODE_MAX_TRANSACTION_GAS,
  });
  const { result: hash } = (await send(raw)) as { result: Hex };
  expect(await chain.client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
});
