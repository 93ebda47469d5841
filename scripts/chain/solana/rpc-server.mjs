import { createServer } from 'node:http';
import { stringifyJsonWithBigInts } from '@solana/rpc-spec-types';
import { messageOf } from '../../processes/error-facts.mjs';
import { RpcError } from './rpc-error.mjs';
import { createRpcMethods } from './rpc-methods.mjs';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @typedef {ReturnType<typeof createRpcMethods>} Methods */
/** @typedef {{ id?: unknown, method: string, params?: never[] }} RpcRequest */

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Serves a cluster over JSON-RPC, single requests and batches, on the loopback interface.
 * @param {import('./cluster.mjs').SolanaCluster} cluster
 * @returns {import('node:http').Server} not listening yet
 */
export function createRpcServer(cluster) {
  const respond = createRpcHandler(cluster);
  return createServer((request, response) => {
    serve(respond, request, response).catch((/** @type {unknown} */ error) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
}

/**
 * @param {import('./cluster.mjs').SolanaCluster} cluster
 * @returns {(body: string) => string} the JSON-RPC response to a request or a batch
 */
export function createRpcHandler(cluster) {
  const methods = createRpcMethods(cluster);
  return (body) => stringifyJsonWithBigInts(respondTo(methods, body));
}

/**
 * @param {(body: string) => string} respond
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function serve(respond, request, response) {
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end();
    return;
  }
  const body = await readBody(request);
  if (body === undefined) {
    response.writeHead(413, { connection: 'close' }).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(respond(body));
}

/** @param {IncomingMessage} request */
async function readBody(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  for await (const part of request) {
    const chunk = /** @type {Buffer} */ (part);
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** @param {Methods} methods @param {string} body */
function respondTo(methods, body) {
  /** @type {RpcRequest | RpcRequest[]} */
  let parsed;
  try {
    parsed = /** @type {RpcRequest | RpcRequest[]} */ (JSON.parse(body));
  } catch {
    return toErrorResponse(null, new RpcError(-32700, 'Parse error'));
  }
  return Array.isArray(parsed) ? parsed.map((one) => call(methods, one)) : call(methods, parsed);
}

/** @param {Methods} methods @param {RpcRequest} options */
function call(methods, { id = null, method, params = [] }) {
  try {
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined) throw new RpcError(-32601, 'Method not found');
    return { jsonrpc: '2.0', id, result: run(...params) };
  } catch (error) {
    return toErrorResponse(id, error instanceof RpcError ? error : new RpcError(-32603, messageOf(error)));
  }
}

/** @param {unknown} id @param {RpcError} error */
const toErrorResponse = (id, { code, message, data }) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
