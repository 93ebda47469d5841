// An entry of its own: it loads viem.
export { createNodeTransports, type NodeTransports } from '../node/evm/create-node-transports.js';
