// The fair reference of token-gating: Express, tuned, that reads the balances of one tick in one aggregate3 and keeps decimals.
import { Pool } from 'undici';
import { readWhole, serveLeanExpress } from './lean-express.mjs';

/** @typedef {{ contractAddress: string, minToken: string, roleId: string }} Rule */
/** @typedef {{ to: string, data: string, resolve: (value: bigint) => void, reject: (error: unknown) => void }} Read */

const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';
const WORD = 64;
const BALANCE_OF = '70a08231';
const DECIMALS = '313ce567';

const node = new Pool(process.env.NODE_URL ?? '', { connections: 16 });
/** @type {Read[]} */
let queue = [];
/** @type {Map<string, Promise<bigint>>} */
const decimals = new Map();

/** @param {number} number */
const word = (number) => number.toString(16).padStart(WORD, '0');

/** @param {string} to @param {string} data hex without 0x @returns {Promise<bigint>} */
const read = (to, data) =>
  new Promise((resolve, reject) => {
    if (queue.push({ to, data, resolve, reject }) === 1) setImmediate(() => void flush());
  });

async function flush() {
  const reads = queue;
  queue = [];
  try {
    const answer = await node.request({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"${MULTICALL3}","data":"0x${encode(reads)}"},"latest"]}`,
    });
    const { result } = /** @type {{ result: string }} */ (await answer.body.json());
    const list = 2 + 2 * WORD;
    for (const [index, { resolve }] of reads.entries()) {
      const at = list + 2 * Number.parseInt(result.slice(list + index * WORD, list + (index + 1) * WORD), 16);
      resolve(BigInt(`0x${result.slice(at + 3 * WORD, at + 4 * WORD)}`));
    }
  } catch (error) {
    for (const { reject } of reads) reject(error);
  }
}

/** @param {readonly Read[]} reads */
function encode(reads) {
  let offsets = '';
  let tuples = '';
  for (const { to, data } of reads) {
    offsets += word(reads.length * 32 + tuples.length / 2);
    const padding = '0'.repeat((WORD - (data.length % WORD)) % WORD);
    tuples += `${to.slice(2).toLowerCase().padStart(WORD, '0')}${word(1)}${word(96)}${word(data.length / 2)}${data}${padding}`;
  }
  return `82ad56cb${word(32)}${word(reads.length)}${offsets}${tuples}`;
}

/** @param {string} token */
function decimalsOf(token) {
  const known = decimals.get(token) ?? read(token, DECIMALS);
  decimals.set(token, known);
  return known;
}

/** @param {import('express').Request} request @param {import('express').Response} response @param {Buffer} bytes */
async function check(request, response, bytes) {
  if (request.url !== '/access-control/check-roles') return void response.writeHead(404).end();
  const { account, rules } = /** @type {{ account: string, rules: Rule[] }} */ (JSON.parse(bytes.toString()));
  const holder = account.slice(2).toLowerCase().padStart(WORD, '0');
  const roles = await Promise.all(
    rules.map(async ({ contractAddress, minToken, roleId }) => {
      const [balance, places] = await Promise.all([
        read(contractAddress, BALANCE_OF + holder),
        decimalsOf(contractAddress),
      ]);
      return { id: roleId, granted: balance >= BigInt(minToken) * 10n ** places };
    }),
  );
  const body = JSON.stringify({ roles, errors: [] });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

serveLeanExpress((request, response) => {
  readWhole(request, (bytes) => void check(request, response, bytes));
});
