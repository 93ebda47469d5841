// A Solana node with fixed answers: every owner holds one token of every mint. Answers take NODE_MS milliseconds, eight at once.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { PublicKey } from '@solana/web3.js';

const GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const DECIMALS = 6;
const AT_ONCE = 8;
const SLOT_MS = 400;
const answerMs = Number(process.env.NODE_MS);

let posts = 0;
let running = 0;
/** @type {(() => void)[]} */
const waiting = [];
/** @type {(() => void)[]} */
const untilIdle = [];

/** @typedef {{ offset: number, length: number }} Slice */
/** @typedef {{ dataSlice?: Slice }} Options */
/** @typedef {{ id: unknown, method: string, params?: never[] }} Call */

/** @param {string} owner @param {Buffer} data @param {Slice} [slice] */
const toAccount = (owner, data, { offset, length } = { offset: 0, length: data.length }) => ({
  owner,
  data: [data.subarray(offset, offset + length).toString('base64'), 'base64'],
  ...{ executable: false, lamports: 2_039_280, rentEpoch: 0, space: data.length },
});

const mint = Buffer.alloc(82);
mint[44] = DECIMALS;
mint[45] = 1;

function clock() {
  const data = Buffer.alloc(40);
  data.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1_000)), 32);
  return data;
}

/** @param {string} owner @param {string} mintAddress */
function tokenAccount(owner, mintAddress) {
  const data = Buffer.alloc(165);
  new PublicKey(mintAddress).toBuffer().copy(data, 0);
  new PublicKey(owner).toBuffer().copy(data, 32);
  data.writeBigUInt64LE(10n ** BigInt(DECIMALS), 64);
  data[108] = 1;
  return data;
}

/** @param {unknown} value */
const withContext = (value) => ({ context: { slot: Math.floor(Date.now() / SLOT_MS) }, value });
/** @param {string} address @param {Options} [options] */
const getAccount = (address, { dataSlice } = {}) =>
  address === CLOCK
    ? toAccount('Sysvar1111111111111111111111111111111111111', clock(), dataSlice)
    : toAccount(TOKEN_PROGRAM, mint, dataSlice);

/** @type {Record<string, (...params: never[]) => unknown>} */
const methods = {
  getGenesisHash: () => GENESIS_HASH,
  /** @param {string} address @param {Options} [options] */
  getAccountInfo: (address, options) => withContext(getAccount(address, options)),
  /** @param {string[]} addresses @param {Options} [options] */
  getMultipleAccounts: (addresses, options) =>
    withContext(addresses.map((address) => getAccount(address, options))),
  /** @param {string} owner @param {{ mint: string }} filter @param {Options} [options] */
  getTokenAccountsByOwner: (owner, { mint: address }, { dataSlice } = {}) =>
    withContext([
      { pubkey: owner, account: toAccount(TOKEN_PROGRAM, tokenAccount(owner, address), dataSlice) },
    ]),
};

/** @param {Call} call */
const answer = ({ id, method, params }) => ({
  jsonrpc: '2.0',
  id,
  result: methods[method]?.(...(params ?? [])),
});

/** @param {(() => void)[]} queue @returns {Promise<void>} */
const enqueue = (queue) =>
  new Promise((resolve) => {
    queue.push(resolve);
  });

async function takePlace() {
  if (running >= AT_ONCE) await enqueue(waiting);
  else running += 1;
}

function leavePlace() {
  const next = waiting.shift();
  if (next) next();
  else running -= 1;
  if (running === 0) for (const resume of untilIdle.splice(0)) resume();
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function respond(request, response) {
  // Answered when no request of an earlier round is left.
  if (request.method === 'GET') {
    if (running > 0) await enqueue(untilIdle);
    response.end(String(posts));
    return;
  }
  posts += 1;
  const body = /** @type {Call | Call[]} */ (JSON.parse(await text(request)));
  await takePlace();
  await sleep(answerMs);
  leavePlace();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
}

createServer((request, response) => void respond(request, response)).listen(
  Number(process.env.PORT),
  '127.0.0.1',
  () => process.send?.('ready'),
);
