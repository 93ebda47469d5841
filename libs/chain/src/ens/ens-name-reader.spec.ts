import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Address, encodeErrorResult, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { EnsNameReader } from './ens-name-reader.js';
import { BATCH_GATEWAY_URL } from './gateway-reader.js';

const UNIVERSAL_RESOLVER: Address = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee';
const RESOLVER: Address = `0x${'11'.repeat(20)}`;
const ACCOUNT: Address = `0x${'22'.repeat(20)}`;
const GATEWAY = 'https://gateway.example/{data}';
const abi = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
  'function query((address sender, string[] urls, bytes data)[] requests) view returns (bool[], bytes[])',
]);

let node: Server | undefined;
let reader: EnsNameReader | undefined;

afterEach(async () => {
  await reader?.close();
  node?.closeAllConnections();
  node?.close();
});

/** @returns the URLs that were asked while a node reverts with the data, and why the look-up failed */
async function readReverted(data: Hex) {
  let calls = 0;
  node = createServer((request, response) => {
    void json(request).then((call) => {
      calls += 1;
      const { id } = call as { id: number };
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id, error: { code: 3, message: 'execution reverted', data } }),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const asked: string[] = [];
  const ask = (url: string) => {
    asked.push(url);
    return Promise.reject(new Error('the gateway is away'));
  };
  reader = new EnsNameReader({
    nodeUrls: [`http://127.0.0.1:${(node.address() as AddressInfo).port}`],
    http: { getText: ask, postText: ask },
    connectTimeoutMs: 5_000,
    requestTimeoutMs: 5_000,
  });
  const failure = await reader.readName(ACCOUNT, new AbortController().signal).then(
    () => '',
    (error: unknown) => String(error),
  );
  return { calls, asked, failure };
}

interface Request {
  readonly urls: readonly string[];
  readonly data: Hex;
}

/** What the Universal Resolver makes of the requests of resolvers. */
const toBatch = (requests: readonly Request[], gateway = BATCH_GATEWAY_URL): Hex =>
  encodeErrorResult({
    abi,
    errorName: 'OffchainLookup',
    args: [
      UNIVERSAL_RESOLVER,
      [gateway],
      encodeFunctionData({
        abi,
        functionName: 'query',
        args: [requests.map((request) => ({ sender: RESOLVER, ...request }))],
      }),
      '0x12345678',
      '0x',
    ],
  });

const word = (value: number) => value.toString(16).padStart(64, '0');
/** A batch of `count` requests that are all at one place, with `bytes` of data. */
const toBomb = (count: number, bytes: number): Hex =>
  `0xa780bab6${word(32)}${word(count)}${word(count * 32).repeat(count)}${word(1)}${word(96)}${word(128)}${word(0)}${word(bytes)}${'ab'.repeat(bytes)}`;

describe('EnsNameReader', () => {
  it('EnsNameReader: asks the gateway of a request in the batch of the Universal Resolver, four times for a name without end', async () => {
    const { asked } = await readReverted(toBatch([{ urls: [GATEWAY], data: '0x1234' }]));
    expect(asked).toEqual(Array.from({ length: 4 }, () => 'https://gateway.example/0x1234'));
  });

  it.each([
    ['a batch in a batch', toBatch([{ urls: ['x-batch-gateway:true'], data: toBomb(10, 100) }])],
    ['a batch for the gateway of viem', toBatch([{ urls: [GATEWAY], data: '0x' }], 'x-batch-gateway:true')],
    ['revert data of 53 KB', toBatch([{ urls: [GATEWAY], data: toBomb(1_000, 20_000) }])],
    [
      'a batch of five requests',
      toBatch(Array.from({ length: 5 }, () => ({ urls: [GATEWAY], data: '0x' as const }))),
    ],
  ])('T278: EnsNameReader: asks nobody for %s, and the look-up fails', async (_, data) => {
    const { asked, calls, failure } = await readReverted(data);
    expect(asked).toEqual([]);
    expect(calls).toBe(1);
    expect(failure).not.toBe('');
  });
});
