import { Processor } from '@nestjs/bullmq';
import type { Job, KeepJobs } from 'bullmq';
import type { PayloadOf, QueueDefinition, QueueOptions } from '../definitions/define-queue.js';

export interface ConsumerOptions {
  /** Maximum of concurrent jobs per process. */
  concurrency: number;
}

/** What the decorator needs to know of a Consumer. */
interface Handler<P> {
  handle(data: P, job: Job): Promise<void>;
}

const DEFINITION = Symbol('consumed queue');

/** `@Consumes(checkRolesQueue, { concurrency: 8 }) class … extends Consumer<CheckRolesJob>` */
export const Consumes =
  <D extends QueueDefinition>(definition: D, { concurrency }: ConsumerOptions) =>
  (target: new (...args: never[]) => Handler<PayloadOf<D>>): void => {
    Reflect.defineMetadata(DEFINITION, definition, target);
    const { name, options } = definition;
    // Job options that other services may leave out when they enqueue jobs.
    const removeOnComplete = toKeepJobs(options.removeOnComplete);
    const removeOnFail = toKeepJobs(options.removeOnFail);
    Processor({ name }, { concurrency, removeOnComplete, removeOnFail })(target);
  };

const toKeepJobs = (remove: QueueOptions['removeOnFail']): KeepJobs =>
  typeof remove === 'object' ? remove : { count: remove ? 0 : -1 };

/** @throws Error for a consumer without @Consumes */
export function getConsumedQueue(consumer: object): QueueDefinition {
  const definition: unknown = Reflect.getMetadata(DEFINITION, consumer.constructor);
  if (definition === undefined) throw new Error(`${consumer.constructor.name} lacks @Consumes`);
  return definition as QueueDefinition;
}
