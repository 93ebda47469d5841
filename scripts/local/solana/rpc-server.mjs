import { createServer } from 'node:http';
import { stringifyJsonWithBigInts } from '@solana/rpc-spec-types';
import { RpcError } from './rpc-error.mjs';
import { createRpcMethods } from './rpc-methods.mjs';

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Serves a cluster over JSON-RPC, single requests and batches, on the loopback interface.
 * @param {import('./cluster.mjs').SolanaCluster} cluster
 * @returns {import('node:http').Server} not listening yet
 */
export function createRpcServer(cluster) {
  const respond = createRpcHandler(cluster);
  return createServer((request, response) => {
    serve(respond, request, response).catch((error) => response.destroy(error));
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

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function respondTo(methods, body) {
  let parsed;
  try {
    parsed = JSON.parse(body);
  } catch {
    return toErrorResponse(null, new RpcError(-32700, 'Parse error'));
  }
  return Array.isArray(parsed) ? parsed.map((one) => call(methods, one)) : call(methods, parsed);
}

function call(methods, { id = null, method, params = [] }) {
  try {
    if (!Object.hasOwn(methods, method)) throw new RpcError(-32601, 'Method not found');
    return { jsonrpc: '2.0', id, result: methods[method](...params) };
  } catch (error) {
    return toErrorResponse(id, error instanceof RpcError ? error : new RpcError(-32603, error.message));
  }
}

const toErrorResponse = (id, { code, message, data }) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
