// An entry of its own: it loads viem.
export { createNodeTransports, type NodeTransports } from './create-node-transports.js';
