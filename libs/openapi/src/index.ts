export * from './openapi-document.js';
export * from './merge-documents.js';
export * from './operations.js';
export * from './to-public-document.js';
