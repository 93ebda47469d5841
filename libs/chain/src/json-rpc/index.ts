export { NodeHttpClient } from '../shared/node-http-client.js';
export { RpcNodeError } from '../shared/rpc-node-error.js';
export {
  JsonRpcBatchClient,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../solana/nodes/json-rpc-batch-client.js';
