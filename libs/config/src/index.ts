import './env-schemas.js';
export * from './load-config.js';
export * from './describe-variable.js';
export * from './env-schemas.js';
export * from './service.config.js';
export * from './redis-url.js';
export * from './redis-failure-reason.js';
export * from './redis-refusals.js';
