import { promiseHooks } from 'node:v8';
import { type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api';

/** The key of a promise under which the context stands that its continuation runs in. */
const CONTEXT = Symbol('context');

type TaggedPromise = Promise<unknown> & { [CONTEXT]?: Context };

/**
 * Follows the current context through promises only. Before Node 24, AsyncLocalStorage adds a fifth to the processor time of
 * every request, since it follows each socket, timer and tick, too. Callbacks of those are bound (`bindToTrace`).
 */
export class PromiseContextManager implements ContextManager {
  private current: Context | undefined;
  private stopHooks: (() => void)[] = [];

  active(): Context {
    return this.current ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    const previous = this.current;
    this.current = context === ROOT_CONTEXT ? undefined : context;
    try {
      return work.call(thisArg, ...args);
    } finally {
      this.current = previous;
    }
  }

  bind<T>(context: Context, target: T): T {
    if (typeof target !== 'function') return target;
    const callback = target as unknown as (...args: unknown[]) => unknown;
    return ((...args: unknown[]) => this.with(context, callback, undefined, ...args)) as T;
  }

  enable(): this {
    this.stopHooks = [
      promiseHooks.onInit((promise: TaggedPromise) => {
        if (this.current !== undefined) promise[CONTEXT] = this.current;
      }),
      promiseHooks.onBefore((promise: TaggedPromise) => {
        this.current = promise[CONTEXT];
      }),
      promiseHooks.onAfter(() => {
        this.current = undefined;
      }),
    ] as (() => void)[];
    return this;
  }

  disable(): this {
    for (const stop of this.stopHooks) stop();
    this.stopHooks = [];
    this.current = undefined;
    return this;
  }
}
