export * from './outbox-table.js';
export * from './outbox.js';
