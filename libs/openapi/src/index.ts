export * from './openapi-document.js';
export * from './merge-documents.js';
export type { DocumentAliases } from './add-aliases.js';
export { findQueryChoices, type QueryChoice } from './query-choices.js';
export * from './operations.js';
export * from './to-public-document.js';
export type { CallbackDescription } from './create-callbacks.js';
export { referToHeaders, type ResponseHeader } from './response-headers.js';
export type { DeclaredError } from './declared-errors.js';
