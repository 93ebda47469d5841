import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

const HASH = `0x${'11'.repeat(32)}`;
const SIGNATURE = `${'A'.repeat(86)}==`;
const CALL = { target: `0x${'22'.repeat(20)}`, callData: '0x', value: '0' };
const TRANSACTION = { serializedTransactionBase64: 'AAAA' };

let kit: AccountKitSuite;

beforeAll(async () => {
  kit = await startAccountKitSuite({
    PLATFORM_CHAT_URL: '',
    PLATFORM_CODEHOST_URL: '',
    // The chain has neither a bundler nor EXECUTOR_GAS_MODEL, which only the local chain does without.
    LOCAL_CHAIN_ID: '1',
  });
});

afterAll(() => kit.stop());

const notConfigured = (platform: string) => ({
  status: 503,
  body: {
    error: {
      message: expect.stringContaining(`PLATFORM_${platform.toUpperCase()}_URL`),
      details: { code: 'platform_not_configured', platform },
    },
  },
});

it('operations with X-BOT-TOKEN: answer 503 platform_not_configured without PLATFORM_CHAT_URL, whatever the token', async () => {
  const { chainId } = kit.chain;
  const requests: readonly [path: string, body?: unknown][] = [
    ['accounts'],
    [`evm/mint?chainId=${chainId}`, { name: 'A', symbol: 'A', metadata: {} }],
    [`evm/submitUserOperation?chainId=${chainId}`, CALL],
    [`evm/userOperationReceipt?chainId=${chainId}&userOperationHash=${HASH}`],
    [`executeCustomActionUsingKeypair?chainId=${chainId}`, { actionIpfs: 'Qm', actionJsParams: {} }],
    ['solana/submitTransaction?network=SOL_DEVNET', TRANSACTION],
    [`solana/transactionResponse?network=SOL_DEVNET&txSignatureBase64=${encodeURIComponent(SIGNATURE)}`],
  ];
  for (const token of [kit.platforms.botToken('6001'), 'no-token'])
    for (const [path, body] of requests) {
      const method = body === undefined ? 'GET' : 'POST';
      const options = { method, headers: { 'X-BOT-TOKEN': token }, body };
      expect({ path, ...(await kit.call(`/accountkit/v1/chatbot/${path}`, options)) }).toMatchObject(
        notConfigured('chat'),
      );
    }
});

it('operations with X-ACCESS-TOKEN: answer 503 platform_not_configured for a platform without its URL, and 401 for a bad token of another', async () => {
  const { chainId } = kit.chain;
  const requests = (platform: string): readonly [path: string, body?: unknown][] => [
    [`v2/platform/accounts?platform=${platform}`],
    [`v2/platform/evm/submitUserOperation?platform=${platform}&chainId=${chainId}`, { userOps: [CALL] }],
    [`v2/platform/solana/submitTransaction?platform=${platform}&network=SOL_DEVNET`, TRANSACTION],
    [`v2/platform/operations?platform=${platform}`],
    [`v2/platform/operations/${HASH}/cancellations?platform=${platform}`, {}],
    [`v1/chatbot/evm/userOperationReceipt?platform=${platform}&chainId=${chainId}&userOperationHash=${HASH}`],
  ];
  const send = ([path, body]: readonly [string, unknown?], token: string) =>
    kit.call(`/accountkit/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'X-ACCESS-TOKEN': token },
      body,
    });
  for (const request of requests('codehost'))
    expect(await send(request, kit.platforms.accessToken('codehost', '6001'))).toMatchObject(
      notConfigured('codehost'),
    );
  for (const request of requests('microblog'))
    expect(await send(request, 'a-token-that-nobody-knows')).toMatchObject({
      status: 401,
      body: { error: { details: { code: 'platform_token_invalid' } } },
    });
});

const submit = ({ chain, call, platforms }: AccountKitSuite) =>
  call(`/accountkit/v2/platform/evm/submitUserOperation?platform=microblog&chainId=${chain.chainId}`, {
    method: 'POST',
    headers: { 'X-ACCESS-TOKEN': platforms.accessToken('microblog', '6002') },
    body: { userOps: [CALL] },
  });

const CHAIN_NOT_SUPPORTED = {
  status: 400,
  body: { error: { details: { code: 'chain_not_supported', issues: [{ path: 'chainId' }] } } },
};

it('submitUserOperation: refuses a chain on which the deployment has no way to send', async () => {
  expect(await submit(kit)).toMatchObject(CHAIN_NOT_SUPPORTED);
});

it('submitUserOperation: refuses a chain of own executors for which EXECUTOR_KEYS names none', async () => {
  const keyless = await startAccountKitSuite({ EXECUTOR_KEYS: '', EXECUTOR_GAS_MODEL_31337: 'l1' });
  try {
    expect(await submit(keyless)).toMatchObject(CHAIN_NOT_SUPPORTED);
  } finally {
    await keyless.stop();
  }
});

it('calculateAccountAddress: needs no URL of the platform', async () => {
  const body = { platform: 'chat', userId: '6001' };
  const { status } = await kit.call('/accountkit/v2/evm/calculateAccountAddress', { method: 'POST', body });
  expect(status).toBe(200);
});
