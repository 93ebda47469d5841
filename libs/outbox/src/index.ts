export * from './outbox-settings.js';
export * from './outbox-table.js';
export * from './outbox.config.js';
export * from './outbox.js';
export * from './outbox.module.js';
