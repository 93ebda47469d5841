import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { forwardTo, HostileNode, type NodeRequest } from '../support/hostile-node.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const RECIPIENT: Address = '0x00000000000000000000000000000000000a11ce';
const FUNDS = 10n ** 18n;

interface Submitted {
  userOperationHash: string;
}

let kit: AccountKitSuite;
let node: HostileNode;
/** Changes what the node is asked. */
let rewriteRequest = (request: NodeRequest): NodeRequest => request;
/** Changes what the node answers to a method. */
let rewriteAnswer = (_method: string, answer: string): string => answer;

beforeAll(async () => {
  kit = await startAccountKitSuite(async (_, chain) => {
    node = await HostileNode.start((request, response) =>
      forwardTo(chain.rpcUrl, (answer) => rewriteAnswer(request.method, answer))(
        rewriteRequest(request),
        response,
      ),
    );
    return { [`RPC_URL_${chain.chainId}`]: node.url };
  });
});

afterEach(() => {
  rewriteRequest = (request) => request;
  rewriteAnswer = (_method, answer) => answer;
});

afterAll(async () => {
  await kit.stop();
  await node.stop();
});

const bot = (userId: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(userId) });

async function fundedAccount(userId: string, funds = FUNDS): Promise<Address> {
  const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: bot(userId),
  });
  const [{ address } = { address: RECIPIENT }] = body.evm;
  await kit.chain.setNativeBalance(address, funds);
  return address;
}

const submit = (userId: string, body: unknown, headers: Record<string, string> = {}) =>
  kit.call<Submitted>(`/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`, {
    method: 'POST',
    headers: { ...bot(userId), ...headers },
    body,
  });

/** Submits, and waits until the operation is included. */
async function execute(userId: string, body: unknown): Promise<void> {
  const submitted = await submit(userId, body);
  expect(submitted).toMatchObject({ status: 200 });
  const hash = submitted.body.userOperationHash;
  const receipt = await kit.call(
    `/accountkit/v1/chatbot/evm/userOperationReceipt?chainId=${kit.chain.chainId}&userOperationHash=${hash}`,
    { headers: bot(userId) },
  );
  expect(receipt).toMatchObject({ status: 200, body: { success: true } });
}

const refusal = (status: number, code: string) => ({ status, body: { error: { details: { code } } } });

it('submitUserOperation: a node one block behind gets no second deployment signed', async () => {
  await fundedAccount('7001');
  const behind = await kit.chain.client.getBlockNumber();
  await execute('7001', { target: RECIPIENT, value: '1' });
  rewriteRequest = (request) => ({
    ...request,
    params: request.params.map((param) => (param === 'latest' ? `0x${behind.toString(16)}` : param)),
  });
  const refused = await submit('7001', { target: RECIPIENT, value: '1' });
  expect(refused).toMatchObject(refusal(409, 'account_deploying'));
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/);
  rewriteRequest = (request) => request;
  await execute('7001', { target: RECIPIENT, value: '1' });
});
