export * from './pubsub.js';
