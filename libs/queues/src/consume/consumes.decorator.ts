import { Processor } from '@nestjs/bullmq';
import type { KeepJobs } from 'bullmq';
import type { PayloadOf, QueueDefinition, QueueOptions } from '../definitions/define-queue.js';
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
    const { name, options } = definition;
    // For jobs whose producer does not say what is kept of them: other services make jobs, too.
    const removeOnComplete = kept(options.removeOnComplete);
    const removeOnFail = kept(options.removeOnFail);
    Processor({ name }, { concurrency, removeOnComplete, removeOnFail })(target);
  };

const kept = (remove: QueueOptions['removeOnFail']): KeepJobs =>
  typeof remove === 'object' ? remove : { count: remove ? 0 : -1 };

/** @throws Error for a consumer that consumes nothing */
export function definitionConsumedBy(consumer: object): QueueDefinition {
  const definition: unknown = Reflect.getMetadata(DEFINITION, consumer.constructor);
  if (definition === undefined) throw new Error(`${consumer.constructor.name} lacks @Consumes`);
  return definition as QueueDefinition;
}
