/** The author of an audited action: a user, an operator, or the command line. */
export type Actor =
  | { readonly kind: 'user' | 'operator'; readonly id: string }
  | { readonly kind: 'command'; readonly id: null };

export const COMMAND_LINE_ACTOR: Actor = { kind: 'command', id: null };

export const toUserActor = (id: string): Actor => ({ kind: 'user', id });

export const toOperatorActor = (id: string): Actor => ({ kind: 'operator', id });
