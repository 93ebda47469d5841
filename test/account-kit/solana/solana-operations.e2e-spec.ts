import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { address, lamports } from '@solana/kit';
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import base58 from 'bs58';
import { SolanaCluster } from '../../../scripts/local/solana/cluster.mjs';
import { SolanaNode } from '../../support/solana-node.js';
import { newAddress, toBase64 } from '../../support/solana-transactions.js';
import { until } from '../../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from '../account-kit-suite.js';

let kit: AccountKitSuite;
let cluster: SolanaCluster;
let node: SolanaNode;

beforeAll(async () => {
  cluster = new SolanaCluster();
  node = await SolanaNode.start(cluster);
  kit = await startAccountKitSuite({ RPC_URL_8000000000103: node.url });
});

afterAll(async () => {
  await kit.stop();
  await node.stop();
});

interface Refused {
  error: { details: { code: string; issues?: { path: string }[] } };
}
interface Status {
  response: {
    state?: string;
    slot?: number;
    meta?: { err: unknown };
    transaction?: { signatures: string[] };
  };
}

const bot = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });

/** The bot's account on the cluster, with ten SOL. */
async function fundedAccount(userId: string): Promise<PublicKey> {
  const { body } = await kit.call<{ solana: { address: string; network: string }[] }>(
    '/accountkit/v1/chatbot/accounts',
    { headers: bot(userId) },
  );
  const account = body.solana.find(({ network }) => network === 'SOL_DEVNET');
  if (!account) throw new Error('the bot has no account on SOL_DEVNET');
  cluster.svm.airdrop(address(account.address), lamports(10_000_000_000n));
  return new PublicKey(account.address);
}

function createPayment(from: PublicKey, to = newAddress()): string {
  cluster.advance();
  const message = new TransactionMessage({
    payerKey: from,
    recentBlockhash: cluster.svm.latestBlockhash(),
    instructions: [SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports: 7_000_000 })],
  });
  return toBase64(new VersionedTransaction(message.compileToV0Message()));
}

const submit = <Body = { txSignature: string }>(
  userId: string,
  serializedTransactionBase64: string,
  headers: Record<string, string> = {},
) =>
  kit.call<Body>('/accountkit/v1/chatbot/solana/submitTransaction?network=SOL_DEVNET', {
    method: 'POST',
    headers: { ...bot(userId), ...headers },
    body: { serializedTransactionBase64 },
  });

const statusOf = (userId: string, signature: string, headers: Record<string, string> = {}) =>
  kit.call<Status & Refused>(
    `/accountkit/v1/chatbot/solana/transactionResponse?network=SOL_DEVNET&txSignatureBase64=${encodeURIComponent(signature)}`,
    { headers: { ...bot(userId), ...headers } },
  );

const balanceOf = (key: PublicKey) => cluster.svm.getBalance(address(key.toBase58())) ?? 0n;

describe('Solana transactions through the gateway', () => {
  it('are signed by the account of the bot, sent, and answered as getTransaction answers', async () => {
    const account = await fundedAccount('3001');
    const receiver = newAddress();
    const { status, body } = await submit('3001', createPayment(account, receiver));
    expect({ status, body }).toEqual({ status: 200, body: { txSignature: expect.any(String) } });
    const response = await statusOf('3001', body.txSignature);
    expect(response).toMatchObject({
      status: 200,
      body: {
        response: {
          slot: expect.any(Number),
          meta: { err: null, fee: 5_000 },
          transaction: { signatures: [body.txSignature] },
        },
      },
    });
    expect(balanceOf(receiver)).toBe(7_000_000n);
    const base64 = Buffer.from(base58.decode(body.txSignature)).toString('base64');
    expect((await statusOf('3001', base64)).body.response.transaction).toEqual(
      response.body.response.transaction,
    );
  });

  it('are submitted by users of a platform, too, once for the same bytes', async () => {
    const account = await fundedAccount('3002');
    const receiver = newAddress();
    const serializedTransactionBase64 = createPayment(account, receiver);
    const responses = await Promise.all(
      [1, 2, 3].map(() =>
        kit.call<{ txSignature: string }>(
          '/accountkit/v2/platform/solana/submitTransaction?platform=chat&network=SOL_DEVNET',
          {
            method: 'POST',
            headers: { 'X-ACCESS-TOKEN': kit.platforms.botToken('3002') },
            body: { serializedTransactionBase64 },
          },
        ),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(responses.map(({ body }) => body.txSignature)).size).toBe(1);
    await until('the payment arrives', () => balanceOf(receiver) === 7_000_000n);
    expect(balanceOf(account)).toBe(10_000_000_000n - 7_000_000n - 5_000n);
  });

  it('are answered with 202 until they are included', async () => {
    const account = await fundedAccount('3003');
    node.behave = (body, response) => {
      if (!body.includes('"sendTransaction"')) return false;
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'lost' }));
      return true;
    };
    const { body } = await submit('3003', createPayment(account));
    const pending = await statusOf('3003', body.txSignature, { Prefer: 'wait=0' });
    expect(pending.status).toBe(202);
    expect(pending.headers.get('retry-after')).toBe('2');
    expect(['signed', 'submitted']).toContain(pending.body.response.state);
    node.behave = () => false;
    expect((await statusOf('3003', body.txSignature)).status).toBe(200);
  });

  it('belong to their account', async () => {
    const account = await fundedAccount('3004');
    const payment = createPayment(account);
    const { body } = await submit('3004', payment);
    for (const signature of [body.txSignature, base58.encode(Buffer.alloc(64, 9))])
      expect(await statusOf('3005', signature)).toMatchObject({
        status: 404,
        body: { error: { details: { code: 'solana_transaction_not_found' } } },
      });
    expect(await submit<Refused>('3005', payment)).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'transaction_conflict' } } },
    });
    expect(await submit<Refused>('3005', createPayment(account))).toMatchObject({
      status: 400,
      body: {
        error: {
          details: {
            code: 'solana_transaction_invalid',
            issues: [{ path: 'serializedTransactionBase64' }],
          },
        },
      },
    });
  });

  it.each([
    ['no transaction', 'AAAA', 'SOL_DEVNET', 400, 'solana_transaction_invalid'],
    ['a network without nodes', undefined, 'SOL', 400, 'network_not_supported'],
  ])('are refused: %s', async (_, bytes, network, status, code) => {
    const { body } = await kit.call<{ solana: { address: string; network: string }[] }>(
      '/accountkit/v1/chatbot/accounts',
      { headers: bot('3006') },
    );
    const account = body.solana.find((one) => one.network === network)?.address ?? '';
    const refused = await kit.call<Refused>(
      `/accountkit/v1/chatbot/solana/submitTransaction?network=${network}`,
      {
        method: 'POST',
        headers: bot('3006'),
        body: { serializedTransactionBase64: bytes ?? createPayment(new PublicKey(account)) },
      },
    );
    expect(refused).toMatchObject({ status, body: { error: { details: { code } } } });
  });
});
