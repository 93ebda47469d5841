import './variable-metadata.js';

export * from './create-config-class.js';
export * from './describe-variable.js';
export * from './env-schemas.js';
export * from './load-config.js';
export * from './service.config.js';
export * from './shared-variables.js';
export * from './redis-cluster-options.js';
export * from './redis-failure-reason.js';
export * from './redis-refusals.js';
export * from './redis-url.js';
