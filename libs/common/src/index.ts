export * from './app-error.js';
export * from './base62.js';
export * from './error-envelope.js';
export * from './http-errors.js';
export * from './issue.js';
export * from './request-id.js';
export * from './to-input-issues.js';
