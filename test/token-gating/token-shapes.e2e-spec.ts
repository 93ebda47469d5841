import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import {
  type Address,
  encodeAbiParameters,
  encodeErrorResult,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from 'viem';
import { until } from '../support/until.js';
import type { DeployedContract } from '../support/local-chain.js';
import { receiver, type Receiver } from '../support/receiver.js';
import { asClient, RolesWorld } from './roles-world.js';

const lenient = { Prefer: 'handling=lenient' };
const ANSWER = 1;
const REVERT = 2;
const BURN = 3;
const DOCUMENT = JSON.stringify({
  name: 'Zoë',
  level: '7',
  attributes: [{ trait_type: 'Hat', value: 'red' }],
});
const BOMB_BYTES = 50 * 1024 * 1024;
const LONG_URIS = 40;

type Body = readonly [body: Buffer | string, headers?: Readonly<Record<string, string>>];
const encoded = (body: Buffer, encoding: string): Body => [body, { 'content-encoding': encoding }];

const BODIES: Readonly<Record<string, Body>> = {
  gzip: encoded(gzipSync(DOCUMENT), 'gzip'),
  'x-gzip': encoded(gzipSync(DOCUMENT), 'X-GZIP'),
  br: encoded(brotliCompressSync(DOCUMENT), 'br'),
  'deflate with a frame': encoded(deflateSync(DOCUMENT), 'deflate'),
  'deflate without a frame': encoded(deflateRawSync(DOCUMENT), 'deflate'),
  'two codings': encoded(brotliCompressSync(gzipSync(DOCUMENT)), 'gzip, br'),
  'a charset in place of a coding': encoded(Buffer.from(DOCUMENT), 'utf-8'),
  'a byte order mark': [`\ufeff${DOCUMENT}`],
  'UTF-16 with a byte order mark': [Buffer.from(`\ufeff${DOCUMENT}`, 'utf16le')],
  'latin-1 letters': [
    Buffer.from(DOCUMENT, 'latin1'),
    { 'content-type': 'application/json; charset=latin1' },
  ],
  'the media type of a page': [DOCUMENT, { 'content-type': 'text/html' }],
  'blank lines around': [`\n\n ${DOCUMENT}\r\n`],
};

const BROKEN_BODIES: Readonly<Record<string, Body>> = {
  'a gzip bomb': encoded(gzipSync(Buffer.alloc(BOMB_BYTES, ' ')), 'gzip'),
  'a br bomb': encoded(brotliCompressSync(Buffer.alloc(BOMB_BYTES, ' ')), 'br'),
  'a deflate bomb': encoded(deflateSync(Buffer.alloc(BOMB_BYTES, ' ')), 'deflate'),
  'a bomb in a bomb': encoded(gzipSync(gzipSync(Buffer.alloc(BOMB_BYTES, ' '))), 'gzip, gzip'),
  'half a gzip': encoded(gzipSync(DOCUMENT).subarray(0, 40), 'gzip'),
  'trailing commas': ['{"attributes":[{"trait_type":"Hat","value":"red"},]}'],
  'a list': [`[${DOCUMENT}]`],
};

let world: RolesWorld;
let server: Receiver;
let holder: Address;

beforeAll(async () => {
  server = await receiver(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const [body, headers = {}] = BODIES[name] ?? BROKEN_BODIES[name] ?? ['', {}];
    response.writeHead(200, headers).end(body);
  });
  world = await RolesWorld.start({ CALLBACK_ALLOW_CIDRS: '127.0.0.0/8', RPC_CACHE: 'off' });
  holder = (await world.wallet(1n)) as Address;
});

afterAll(async () => {
  await world.stop();
  await server.stop();
});

type Program = Readonly<Record<string, Hex | readonly [kind: number, data?: Hex]>>;
const word = (value: bigint | Address): Hex =>
  `0x${(typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')}`;
const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value]);

/** A collection of which the holder has token 5, and that answers these functions otherwise. */
async function deploy(program: Program): Promise<DeployedContract> {
  const { chain } = world.gated;
  const contract = await chain.deploy('CannedContract');
  const whole: Program = { 'ownerOf(uint256)': word(holder), 'balanceOf(address)': word(1n), ...program };
  for (const [name, answer] of Object.entries(whole)) {
    const [kind, data = '0x'] = typeof answer === 'string' ? [ANSWER, answer] : answer;
    await chain.send(contract, 'program', [toFunctionSelector(`function ${name}`), kind, data]);
  }
  return contract;
}

const rule = ({ address }: DeployedContract, fields: object = {}) => ({
  ...{ type: 'ERC721', chainId: world.chainId, contractAddress: address },
  ...fields,
});
const redHat = {
  ...{ tokenId: '5', requiresMetadata: true },
  query: "attributes[trait_type = 'Hat'].value = 'red'",
};
const check = async (rules: readonly object[], as?: Principal) => {
  const { status, body } = await world.gating.check({ account: holder, rules }, lenient, as);
  expect(status).toBe(200);
  return body as { roles: { granted: boolean }[]; errors?: { retryable: boolean; name: string }[] };
};
const asTenant = (name: string): Principal => ({
  kind: 'caller',
  client: { id: `client_of_${name}`, ownerId: name, plan: 'free' },
  scopes: ['token-gating'],
});
async function listOne(asset: string, as: Principal = asClient('client_1')): Promise<unknown> {
  const path = `/asset-list/${holder}?assets=${encodeURIComponent(asset)}`;
  const { status, body } = await world.gating.request('GET', path, undefined, lenient, as);
  expect(status).toBe(200);
  return (body as unknown[])[0];
}
const nft = ({ address }: DeployedContract, standard = 'erc721/5') => {
  const [namespace, id] = standard.split('/');
  return `eip155:${world.chainId}/${namespace}:${address}${id === undefined ? '' : `/${id}`}`;
};
const serve = (name: string) => `http://127.0.0.1:${server.port}/${encodeURIComponent(name)}`;

it.each(Object.keys(BODIES))('checkRoles: metadata that a server sends with %s is read', async (name) => {
  const contract = await deploy({ 'tokenURI(uint256)': text(serve(name)) });
  expect(await check([rule(contract, redHat)])).toEqual({ roles: [{ id: '001', granted: true }] });
});

it.each(Object.keys(BROKEN_BODIES))(
  'T263: checkRoles: metadata that a server sends with %s is an error of its rule alone',
  async (name) => {
    const broken = await deploy({ 'tokenURI(uint256)': text(serve(name)) });
    const good = await deploy({ 'tokenURI(uint256)': text(serve('gzip')) });
    const rules = [
      { ...rule(broken, redHat), roleId: 'broken' },
      { ...rule(good, redHat), roleId: 'good' },
    ];
    expect(await check(rules)).toMatchObject({
      roles: [{ granted: false }, { granted: true }],
      errors: [{ roleId: 'broken' }],
    });
  },
);

const base64 = Buffer.from(DOCUMENT).toString('base64');
/** An ABI string whose bytes begin behind another word. */
const farText = (value: string): Hex => `0x${word(64n).slice(2)}${word(0n).slice(2)}${text(value).slice(66)}`;
it.each<[string, () => Hex]>([
  ['zero bytes around it', () => text(`\0${serve('gzip')}\0\0`)],
  ['an ABI string at another offset', () => farText(serve('gzip'))],
  ['an ABI string without padding', () => text(serve('gzip')).replace(/(?:00)+$/, '') as Hex],
  ['plain JSON that calls itself base64', () => text(`data:application/json;base64,${DOCUMENT}`)],
  ['base64 with parameters', () => text(`data:application/json;charset=utf-8;base64,${base64}`)],
  ['base64 without padding', () => text(`data:application/json;base64,${base64.replace(/=+$/, '')}`)],
  ['base64 with percent signs', () => text(`data:application/json;base64,${encodeURIComponent(base64)}`)],
  [
    'base64 of a byte order mark',
    () => text(`data:;base64,${Buffer.from(`\ufeff${DOCUMENT}`).toString('base64')}`),
  ],
  ['a scheme in capitals', () => text(`DATA:Application/JSON,${DOCUMENT}`)],
])('checkRoles: a tokenURI with %s is read', async (_, uri) => {
  const contract = await deploy({ 'tokenURI(uint256)': uri() });
  expect(await check([rule(contract, redHat)])).toEqual({ roles: [{ id: '001', granted: true }] });
});

const reason = encodeErrorResult({
  abi: parseAbi(['error Error(string)']),
  errorName: 'Error',
  args: ['no'],
});
it.each<[string, Hex | readonly [number, Hex?]]>([
  ['reverts with a reason', [REVERT, reason]],
  ['reverts without data', [REVERT]],
  ['uses up its gas', [BURN]],
  ['is empty text', text('')],
  ['is empty data', '0x'],
  ['is one word', word(5n)],
  ['claims 2^255 characters', `0x${word(32n).slice(2)}${word(2n ** 255n).slice(2)}`],
  ['begins at 2^255', `0x${word(2n ** 255n).slice(2)}${word(1n).slice(2)}`],
  ['is a script', text('javascript:alert(1)')],
])(
  'checkRoles, asset-list: a tokenURI that %s is a lasting error, and the token is listed',
  async (_, uri) => {
    const contract = await deploy({ 'tokenURI(uint256)': uri });
    const { roles, errors } = await check([
      rule(contract, redHat),
      rule(contract, { tokenId: '5', roleId: 'held' }),
    ]);
    expect(roles.map(({ granted }) => granted)).toEqual([false, true]);
    expect(errors).toMatchObject([{ retryable: false }]);
    const listed = (await listOne(nft(contract))) as { balance: string; tokens: { id: string }[] };
    expect(listed).toMatchObject({ balance: '1', tokens: [{ id: '5', balance: '1' }] });
    expect(listed.tokens[0]).not.toHaveProperty('metadata');
  },
);

it.each<[string, Hex | readonly [number, Hex?]]>([
  ['uses up its gas', [BURN]],
  ['reverts with a reason', [REVERT, reason]],
  ['answers nothing', '0x'],
  ['answers one byte', '0x01'],
  ['answers the number 2', word(2n)],
  ['answers 33 bytes', `${word(1n)}00`],
  ['answers true to everything', word(1n)],
])('checkRoles, asset-list: a collection whose supportsInterface %s counts as ERC-721', async (_, answer) => {
  const contract = await deploy({
    'supportsInterface(bytes4)': answer,
    'tokenURI(uint256)': text(serve('gzip')),
    'decimals()': answer === word(2n) ? `0x${'f'.repeat(64)}` : [REVERT],
  });
  expect(
    (await check([rule(contract), rule(contract, { tokenId: '5' }), rule(contract, redHat)])).roles,
  ).toEqual([{ id: '001', granted: true }]);
  expect(await check([rule(contract, { ...redHat, roleId: 'red' })])).toEqual({
    roles: [{ id: 'red', granted: true }],
  });
  expect(await listOne(nft(contract))).toMatchObject({ tokens: [{ id: '5', metadata: { level: '7' } }] });
});

it('checkRoles: a balance with further words is its first one, and part of a word is an error', async () => {
  const wide = await deploy({ 'balanceOf(address)': `0x${word(1n).slice(2)}${word(9n).slice(2)}` });
  expect(await check([rule(wide)])).toMatchObject({ roles: [{ granted: true }] });
  for (const answer of ['0x01', '0x', `${word(1n)}00`] as const) {
    const short = await deploy({ 'balanceOf(address)': answer });
    expect(await check([rule(short)])).toMatchObject({
      roles: [{ granted: false }],
      errors: [{ retryable: false }],
    });
  }
});

it('checkRoles, asset-list: a token of 255 decimals counts exactly, and one of more is an error', async () => {
  const all = 2n ** 256n - 1n;
  const token = await deploy({ 'decimals()': word(255n), 'balanceOf(address)': word(all) });
  const erc20 = (contract: DeployedContract, minToken: string) => rule(contract, { type: 'ERC20', minToken });
  const exact = `0.${all.toString().padStart(255, '0')}`.replace(/0+$/, '');
  expect(await listOne(nft(token, 'erc20'))).toEqual({ asset: nft(token, 'erc20'), balance: exact });
  expect(await check([erc20(token, '1')])).toEqual({ roles: [{ id: '001', granted: false }] });
  const wrong = await deploy({ 'decimals()': word(256n) });
  expect(await check([erc20(wrong, '1')])).toMatchObject({ errors: [{ retryable: false }] });
});

it('checkRoles: an ERC-1155 whose uri is empty is a lasting error of rules about metadata', async () => {
  const contract = await deploy({
    'balanceOf(address,uint256)': word(3n),
    'uri(uint256)': text(''),
  });
  const multi = { type: 'ERC1155', tokenId: '5' };
  expect(await check([rule(contract, { ...redHat, ...multi })])).toMatchObject({
    errors: [{ retryable: false }],
  });
  expect(await check([rule(contract, { ...multi, minToken: '3' })])).toEqual({
    roles: [{ id: '001', granted: true }],
  });
  expect(await listOne(nft(contract, 'erc1155/5'))).toMatchObject({ balance: '3', tokens: [{ id: '5' }] });
});

/** A collection whose every token has the same URI of some kilobytes. */
async function deployLong(
  chain: typeof world.gated.chain,
  count: number,
  kilobytes: bigint,
): ReturnType<typeof world.gated.chain.deploy> {
  const shape = {
    hasOwnerOf: true,
    hasInterfaces: true,
    claimsErc721: true,
    claimsErc1155: false,
    decimals: 0,
  };
  const contract = await chain.deploy('OddERC721', [shape]);
  for (let id = 0n; id < BigInt(count); id += 1n) await chain.send(contract, 'give', [holder, id]);
  const head = '{"attributes":[{"trait_type":"Hat","value":"red"}],"image":"'.padEnd(60, ' ');
  const toBase64 = (part: string) => Buffer.from(part).toString('base64');
  const parts = [`data:application/json;base64,${toBase64(head)}`, kilobytes * 32n, toBase64('"}')];
  await chain.send(contract, 'setUri', parts);
  return contract;
}

it('T264: checkRoles, asset-list: many token URIs of 900 KB of one tenant delay and end nothing of another', async () => {
  const { chain } = world.gated;
  const heavy = await deployLong(chain, LONG_URIS, 900n);
  const good = await deploy({ 'tokenURI(uint256)': text(serve('gzip')) });

  const all = { ...redHat, tokenId: `0-${LONG_URIS - 1}`, minToken: String(LONG_URIS) };
  const attack = (name: string) =>
    Promise.all([
      ...Array.from({ length: 4 }, () => check([rule(heavy, all)], asTenant(name))),
      listOne(nft(heavy, 'erc721'), asTenant(name)),
    ]);
  const attacks = attack('attacker');
  for (let round = 0; round < 5; round += 1) {
    expect(await check([rule(good, redHat)], asTenant('victim'))).toMatchObject({
      roles: [{ granted: true }],
    });
    expect(await check([rule(heavy, { ...redHat, tokenId: '3' })], asTenant('victim'))).toMatchObject({
      roles: [{ granted: true }],
    });
  }
  for (const answer of (await attacks).slice(0, -1))
    expect(answer).toMatchObject({ roles: [{ granted: expect.any(Boolean) as unknown }] });
});

it('checkRoles: a rule about 40 token URIs of 200 KB of one contract is decided when it is asked again, with no other contract read', async () => {
  const { chain } = world.gated;
  const heavy = await deployLong(chain, LONG_URIS, 200n);
  const all = { ...redHat, tokenId: `0-${LONG_URIS - 1}`, minToken: String(LONG_URIS) };
  await until('the rule is decided', async () => {
    const answer = await check([rule(heavy, all)], asTenant('patient'));
    return JSON.stringify(answer) === JSON.stringify({ roles: [{ id: '001', granted: true }] });
  });
});
