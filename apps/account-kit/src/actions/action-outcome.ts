/** The bound of ACTION_LIMITS that was exceeded. */
export type ActionLimit = 'time' | 'memory' | 'stack' | 'result' | 'signatures';

/** How a run ended. `json` and `message` come from the action. */
export type ActionOutcome =
  | { readonly outcome: 'finished'; readonly json: string }
  | { readonly outcome: 'failed'; readonly message: string }
  | { readonly outcome: 'limit_exceeded'; readonly limit: ActionLimit };

export const limitExceeded = (limit: ActionLimit): ActionOutcome => ({ outcome: 'limit_exceeded', limit });

/** What a worker runs. */
export interface ActionProgram {
  readonly source: string;
  /** A JSON object. */
  readonly params: string;
}

/** Messages from the worker. The first one is `ready`, before the worker runs anything of the action. */
export type WorkerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'sign'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'ended'; readonly outcome: ActionOutcome };

/** Messages from the parent process to the worker. */
export type ParentMessage =
  | { readonly type: 'run'; readonly program: ActionProgram; readonly timeoutMs: number }
  | { readonly type: 'signed'; readonly id: number; readonly signature: string };
