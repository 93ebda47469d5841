export * from './caller.js';
export * from './error-envelope.js';
export * from './internal/credentials.js';
export * from './plans.js';
export * from './scopes.js';
export * from './security-schemes.js';
