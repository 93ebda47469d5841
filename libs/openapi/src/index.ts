export * from './headers.js';
export * from './openapi-document.js';
export * from './merge-documents.js';
export * from './operations.js';
export * from './to-public-document.js';
export type { CallbackDescription } from './create-callbacks.js';
export type { DeclaredError } from './declared-errors.js';
