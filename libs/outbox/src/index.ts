export * from './outbox.config.js';
export * from './outbox-table.js';
export * from './outbox.service.js';
export * from './outbox.module.js';
