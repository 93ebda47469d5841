export type { Cidr } from './address-rules.js';
export * from './env-cidrs.js';
export * from './fetch-failure.js';
export { readBounded } from './read-body.js';
export * from './safe-fetcher.js';
