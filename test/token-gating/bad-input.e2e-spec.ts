import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostileNode, onCalls, reply } from '../support/hostile-node.js';
import { GatingApp } from './gating-app.js';

const account = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const contractAddress = `0x${'ab'.repeat(20)}`;
const chainId = 31_337;
const erc20 = { type: 'ERC20', chainId, contractAddress };
const erc721 = { ...erc20, type: 'ERC721' };
const erc1155 = { ...erc20, type: 'ERC1155', tokenId: '1' };

let node: HostileNode;
let gating: GatingApp;

beforeAll(async () => {
  node = await HostileNode.start(
    onCalls((request, response) => {
      reply(response, request.id, { result: '0x' });
    }),
  );
  gating = await GatingApp.start({ [`RPC_URL_${chainId}`]: node.url });
});

afterAll(async () => {
  // Invalid requests must not reach a node.
  expect(node.methods).toEqual([]);
  await gating.stop();
  await node.stop();
});

interface Failure {
  error: {
    name: string;
    message: string;
    details: { code: string; issues: { path: string; message: string }[] };
  };
}

async function issuesOf(body: unknown) {
  const answer = await gating.check(body);
  expect(answer.status).toBe(400);
  const { error } = answer.body as Failure;
  expect(error.name).toBe('BadRequestError');
  return error.details.issues;
}

describe('an invalid rule is rejected with the path of its field', () => {
  it.each<[string, object, RegExp]>([
    ['type', { ...erc20, type: 'ERC777' }, /must be one of NATIVE, ERC20/],
    ['type', { ...erc20, type: 20 }, /must be one of/],
    ['type', { ...erc20, type: undefined }, /required/],
    ['contractAddress', { ...erc20, type: 'SOLANA_FT', chainId: 8_000_000_000_101 }, /Solana address/],
    ['type', { ...erc20, type: 'ERC9999' }, /must be one of/],
    ['collectionName', { ...erc20, type: 'staking' }, /required/],
    ['collectionName', { ...erc20, type: 'OPEN_SEA' }, /required/],
    ['scheme', { ...erc20, scheme: 'gnosis' }, /does not agree with type ERC20/],
    ['scheme', { ...erc20, scheme: 'erc20' }, /must be gnosis/],
    ['requiresMetadata', { ...erc20, requiresMetadata: true, query: 'true' }, /not supported by ERC20 rules/],
    ['query', { ...erc721, requiresMetadata: true }, /required with requiresMetadata/],
    ['query', { ...erc1155, requiresMetadata: true, query: '$now() = 1' }, /must not use \$now/],
    ['query', { ...erc721, requiresMetadata: true, query: '(' }, /not a JSONata expression/],
    [
      'variables',
      { ...erc721, requiresMetadata: true, query: 'true', variables: { a: 'a'.repeat(10_000) } },
      /at most 10000 characters/,
    ],
    ['query', { ...erc721, query: '$.traits' }, /without requiresMetadata/],
    ['variables', { ...erc721, variables: { a: 1 } }, /without requiresMetadata/],
    ['eventId', { ...erc721, eventId: '1' }, /not a restriction of ERC721 rules/],
    ['tokenId', { ...erc20, tokenId: '1' }, /not a restriction of ERC20 rules/],
    ['contractAddress', { ...erc20, type: 'NATIVE' }, /not a restriction of NATIVE rules/],
    ['asset', { asset: `evm:1/erc20:${contractAddress}` }, /must be of gnosis/],
    ['asset', { asset: 'eip155:1' }, /CAIP-19/],
    ['chainId', { ...erc20, chainId: 424_242_424_242 }, /424242424242 is not a known chain/],
    ['chainId', { ...erc20, chainId: undefined }, /required/],
    ['chainId', { ...erc20, chainId: '1' }, /whole number/],
    ['chainId', { ...erc20, chainId: '0x10' }, /whole number/],
    ['chainId', { ...erc20, chainId: '' }, /required/],
    ['chainId', { ...erc20, chainId: true }, /whole number/],
    ['chainId', { ...erc20, chainId: null }, /required/],
    ['chainId', { ...erc20, chainId: 1.5 }, /whole number/],
    ['chainId', { ...erc20, chainId: 0 }, /./],
    ['chainId', { ...erc20, chainId: -1 }, /./],
    ['contractAddress', { ...erc20, contractAddress: undefined }, /required/],
    ['contractAddress', { ...erc20, contractAddress: '0x12' }, /40 hex digits/],
    ['contractAddress', { ...erc20, contractAddress: `${contractAddress}00` }, /40 hex digits/],
    [
      'contractAddress',
      { ...erc20, contractAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD' },
      /checksum/,
    ],
    ['minToken', { ...erc20, minToken: '-1' }, /decimal text/],
    ['minToken', { ...erc20, minToken: '1e18' }, /decimal text/],
    ['minToken', { ...erc20, minToken: '+1' }, /decimal text/],
    ['minToken', { ...erc20, minToken: ' 1' }, /decimal text/],
    ['minToken', { ...erc20, minToken: '0x10' }, /decimal text/],
    ['minToken', { ...erc20, minToken: 100 }, /^must be decimal text, a string such as "100"$/],
    ['maxToken', { ...erc20, maxToken: 0.5 }, /^must be decimal text, a string such as "100"$/],
    ['maxToken', { ...erc20, maxToken: '1e18' }, /decimal text/],
    ['minToken', { ...erc20, minToken: 'x', maxToken: '1' }, /decimal text/],
    ['maxToken', { ...erc721, minToken: '1', maxToken: 'x' }, /decimal text/],
    ['minToken', { ...erc20, minToken: '2', maxToken: '1.9' }, /above maxToken/],
    ['minToken', { ...erc20, maxToken: '0.5' }, /above maxToken/],
    ['minToken', { ...erc721, minToken: '1.5' }, /whole number/],
    ['maxToken', { ...erc721, maxToken: '1.5' }, /whole number/],
    ['minToken', { ...erc1155, minToken: '0.1' }, /whole number/],
    ['tokenId', { ...erc1155, tokenId: undefined }, /required/],
    ['tokenId', { ...erc1155, tokenId: '' }, /required/],
    ['tokenId', { ...erc1155, tokenId: '1, 2' }, /without spaces/],
    ['tokenId', { ...erc1155, tokenId: 1 }, /string/],
    ['tokenId', { ...erc721, tokenId: '90-30' }, /ends before it starts/],
    ['tokenId', { ...erc721, tokenId: '0-10000' }, /more than 10000/],
    ['tokenId', { ...erc721, tokenId: `0-1${'0'.repeat(70)}` }, /more than 10000/],
    ['tokenId', { ...erc721, tokenId: '9'.repeat(78) }, /2\^256/],
    ['roleId', { ...erc20, roleId: 1 }, /string/],
    ['colour', { ...erc20, colour: 'red' }, /not a known field/],
    ['colour', { ...erc20, colour: null }, /not a known field/],
  ])('invalid rule is rejected with the path of its field: %s of %j', async (field, rule, message) => {
    expect(await issuesOf({ account, rules: [rule] })).toEqual([
      { path: `rules.0.${field}`, message: expect.stringMatching(message) },
    ]);
  });

  it('invalid rule is rejected with the path of its field: reports every invalid rule by index', async () => {
    const rules = [erc20, { ...erc20, minToken: 'x' }, erc20, { ...erc20, contractAddress: '0x' }];
    const paths = (await issuesOf({ account, rules })).map(({ path }) => path);
    expect(paths).toEqual(['rules.1.minToken', 'rules.3.contractAddress']);
    const unknown = (await issuesOf({ account, rules: [erc20, { ...erc20, chainId: 424_242_424_242 }] }))[0];
    expect(unknown?.path).toBe('rules.1.chainId');
  });
});

describe('an invalid request is rejected', () => {
  it.each<[string, object]>([
    ['account', { rules: [erc20] }],
    ['account', { account: '0x12', rules: [erc20] }],
    ['account', { account: `eip155:x:${account}`, rules: [erc20] }],
    ['account', { account: 'some one', rules: [erc20] }],
    ['account', { account: 7, rules: [erc20] }],
    ['rules', { account }],
    ['rules', { account, rules: [] }],
    ['rules', { account, rules: erc20 }],
    ['rules', { account, rules: Array.from({ length: 501 }, () => erc20) }],
    ['rules', { account, rules: Array.from({ length: 3 }, () => ({ ...erc721, tokenId: '1-9999' })) }],
    ['rules.0', { account, rules: ['x'] }],
    ['rules.0', { account, rules: [null] }],
    ['rules.0', { account, rules: [[null]] }],
    ['async', { account, rules: [erc20], async: 'true' }],
    ['callbackUrl', { account, rules: [erc20], callbackUrl: 'nowhere' }],
    ['callbackUrl', { account, rules: [erc20], callbackUrl: 'file:///etc/passwd' }],
    ['wallet', { account, rules: [erc20], wallet: account }],
  ])('with the path %s: %j', async (path, body) => {
    expect((await issuesOf(body)).map((issue) => issue.path)).toEqual([path]);
  });

  it.each(['[]', 'null', '"text"', '7'])('invalid request: is rejected when its body is %s', async (body) => {
    expect((await gating.request('POST', '/access-control/check-roles', body)).status).toBe(400);
  });
});
