export { AddressPolicy, type Cidr } from './address-policy.js';
export { parseOutboundUrl } from './parse-outbound-url.js';
export * from './env-cidrs.js';
export * from './safe-http-error.js';
export { readBoundedBody } from './read-bounded-body.js';
export * from './safe-http-client.js';
export * from './is-transient-status.js';
export { Agent, type Dispatcher } from './undici.js';
export { RenewingPool } from './renewing-pool.js';
