import type { Consumer } from './consumer.js';
import { definitionConsumedBy } from './consumes.decorator.js';

/** @throws Error when two consumers of one process share a queue, or one of them has none */
export function checkConsumers(consumers: Consumer<unknown>[]): void {
  const byQueue = new Map<string, string>();
  for (const consumer of consumers) {
    const { name } = definitionConsumedBy(consumer);
    const other = byQueue.get(name);
    if (other !== undefined)
      throw new Error(`The queue ${name} has two consumers: ${other} and ${consumer.constructor.name}`);
    byQueue.set(name, consumer.constructor.name);
  }
}
