import { Processor } from '@nestjs/bullmq';
import type { PayloadOf, QueueDefinition } from '../definitions/define-queue.js';
import type { Consumer } from './consumer.js';

export interface ConsumeOptions {
  /** Jobs under way at once in one process. */
  concurrency: number;
}

const DEFINITION = Symbol('consumed queue');

/** `@Consumes(checkRolesQueue, { concurrency: 8 }) class … extends Consumer<CheckRolesJob>` */
export const Consumes =
  <D extends QueueDefinition>(definition: D, { concurrency }: ConsumeOptions) =>
  (target: new (...args: never[]) => Consumer<PayloadOf<D>>): void => {
    Reflect.defineMetadata(DEFINITION, definition, target);
    Processor({ name: definition.name }, { concurrency })(target);
  };

/** @throws Error for a consumer that consumes nothing */
export function definitionConsumedBy(consumer: object): QueueDefinition {
  const definition: unknown = Reflect.getMetadata(DEFINITION, consumer.constructor);
  if (definition === undefined) throw new Error(`${consumer.constructor.name} lacks @Consumes`);
  return definition as QueueDefinition;
}
