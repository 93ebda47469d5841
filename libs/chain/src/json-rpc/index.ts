export { NodeHttpClient } from '../http/node-http-client.js';
export { RpcNodeError } from '../node/rpc-node-error.js';
export {
  JsonRpcBatchClient,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../node/json-rpc-batch-client.js';
