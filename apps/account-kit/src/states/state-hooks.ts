import type { Database } from '@app/database';
import type { EntityManager } from 'typeorm';

/** Runs in the transaction of the changes, which it rolls back by throwing: for rows, not for calls of other services. */
export type StateHook<C> = (manager: EntityManager, changes: readonly C[]) => Promise<void>;

/** Code that writes further rows in the transaction of a change of state. */
export class StateHooks<C extends { readonly state: string }> {
  private readonly hooks: { readonly hook: StateHook<C>; readonly states: readonly C['state'][] }[] = [];

  /** @param states whose changes the hook gets, and no others: each costs a transaction on the way of a request */
  add(hook: StateHook<C>, states: readonly C['state'][]): void {
    this.hooks.push({ hook, states });
  }

  async run(manager: EntityManager, changes: readonly C[]): Promise<void> {
    for (const { hook, states } of this.hooks) {
      const wanted = changes.filter(({ state }) => states.includes(state));
      if (wanted.length > 0) await hook(manager, wanted);
    }
  }

  /** Runs the statement of a change in a transaction with its hooks; without one of its possible states, as a single statement. */
  runWith<T>(
    database: Database,
    states: readonly C['state'][],
    change: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    const hasHook = this.hooks.some((hook) => hook.states.some((state) => states.includes(state)));
    return hasHook ? database.transaction(change) : database.withConnection(change);
  }
}
