export * from './document.js';
export * from './load-contract.js';
export * from './merge-documents.js';
export * from './operations.js';
export * from './public-document.js';
