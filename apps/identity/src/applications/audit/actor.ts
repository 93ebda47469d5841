/** On whose behalf something is done: a user with what is their own, an operator, or who may run commands here. */
export type Actor =
  | { readonly kind: 'user' | 'operator'; readonly id: string }
  | { readonly kind: 'command'; readonly id: null };

export const COMMAND_LINE_ACTOR: Actor = { kind: 'command', id: null };

export const toUserActor = (id: string): Actor => ({ kind: 'user', id });

export const toOperatorActor = (id: string): Actor => ({ kind: 'operator', id });
