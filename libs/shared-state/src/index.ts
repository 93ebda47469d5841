export * from './calendar-month.js';
export * from './month-limits.js';
export * from './postgres-month-ledger.js';
export * from './second-limits.js';
export * from './sliding-second.js';
