export * from './config-class.js';
export * from './env-types.js';
export * from './load-config.js';
export * from './opaque-token-config.js';
export * from './redis-cluster.js';
export * from './redis-url.js';
export * from './service-config.js';
