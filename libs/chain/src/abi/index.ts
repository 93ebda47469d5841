// An entry of its own: it loads viem, which apps that call no function by its ABI do not need.
export * from './address-function-read.js';
export * from './contract-function-call.js';
