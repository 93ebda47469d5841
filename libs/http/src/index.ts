export { parseOutboundUrl } from './parse-outbound-url.js';
export * from './address-policy.js';
export * from './safe-http-error.js';
export * from './safe-http-client.js';
export { Agent, type Dispatcher } from './reach-ins/undici.js';
export { RenewingPool } from './renewing-pool.js';
