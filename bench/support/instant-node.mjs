// A node of an EVM chain that answers at once, in a process of its own: every balance is VALUE, and every token has 18 decimals.
import { createServer } from 'node:http';

const CHAIN_ID = 31_337;
const VALUE = 10n ** 21n;
const WORD = 64;
/** The selector of aggregate3, the offset of its list, and the length of the list. */
const LIST_AT = 8 + WORD;
const DECIMALS = '313ce567';
const SUPPORTS_INTERFACE = '01ffc9a7';
const GET_CHAIN_ID = '3408e470';
const GET_BLOCK_NUMBER = '42cbb15c';
const GET_BLOCK_TIMESTAMP = '0f28c97d';
const AGGREGATE3 = '82ad56cb';

/** Nodes far away answer after so many milliseconds. */
const delayMs = Number(process.env.NODE_MS ?? 0);

/** @param {bigint | number} number */
const word = (number) => number.toString(16).padStart(WORD, '0');
const [one, value, decimals, chainId] = [1, VALUE, 18, CHAIN_ID].map(word);

/** @param {string} callData hex without 0x @returns {string} a word */
function answerCall(callData) {
  switch (callData.slice(0, 8)) {
    case DECIMALS:
      return decimals ?? '';
    case GET_CHAIN_ID:
      return chainId ?? '';
    case GET_BLOCK_NUMBER:
      return word(blockNumber());
    case GET_BLOCK_TIMESTAMP:
      return word(Math.floor(Date.now() / 1_000));
    case SUPPORTS_INTERFACE:
      return one ?? '';
    default:
      // The gas sentinel of a batch calls a precompile, without a selector of four bytes and an argument.
      return callData.length >= 72 ? (value ?? '') : (one ?? '');
  }
}

/** A block every second. */
const blockNumber = () => Math.floor(Date.now() / 1_000);

/** @param {string} data calldata of aggregate3, hex without 0x @returns {string} the encoded list of results */
function answerAggregate(data) {
  const count = Number.parseInt(data.slice(LIST_AT, LIST_AT + WORD), 16);
  const base = LIST_AT + WORD;
  let offsets = '';
  let results = '';
  for (let index = 0; index < count; index += 1) {
    const tuple = base + 2 * Number.parseInt(data.slice(base + index * WORD, base + (index + 1) * WORD), 16);
    const length = 2 * Number.parseInt(data.slice(tuple + 3 * WORD, tuple + 4 * WORD), 16);
    offsets += word(count * 32 + results.length / 2);
    results += `${one}${word(64)}${word(32)}${answerCall(data.slice(tuple + 4 * WORD, tuple + 4 * WORD + length))}`;
  }
  return `${word(32)}${word(count)}${offsets}${results}`;
}

/** @typedef {{ id: number, method: string, params: [{ data: string }] }} Request */

/** @param {Request} request */
function answer({ id, method, params }) {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  if (method === 'eth_chainId') return `${head}"0x${CHAIN_ID.toString(16)}"}`;
  if (method === 'eth_blockNumber') return `${head}"0x${blockNumber().toString(16)}"}`;
  if (method === 'eth_getCode') return `${head}"0x"}`;
  if (method !== 'eth_call')
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"${method} is not served"}}`;
  const data = params[0].data.slice(2);
  return `${head}"0x${data.startsWith(AGGREGATE3) ? answerAggregate(data) : answerCall(data)}"}`;
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (/** @type {string} */ part) => {
    body += part;
  });
  request.on('end', () => {
    const asked = /** @type {Request | Request[]} */ (JSON.parse(body));
    const text = Array.isArray(asked) ? `[${asked.map(answer).join()}]` : answer(asked);
    const send = () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
      response.end(text);
    };
    if (delayMs === 0) send();
    else setTimeout(send, delayMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
