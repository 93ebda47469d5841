import { ApiError } from '../gatehouse-api.js';

/** Why a step cannot be done yet: somebody else has to do something first. */
export class WaitingError extends Error {
  override readonly name = 'WaitingError';
}

export type StepAction = 'create' | 'change' | 'delete' | 'approve';

/** What a plan does with one object. */
export interface Step {
  readonly action: StepAction;
  /** `API key "Server" of application "Shop"` */
  readonly what: string;
  /** For people, without secrets. */
  readonly details?: readonly string[];
  /** What cannot be had back, so that `--yes` has to allow it. */
  readonly needsConsent?: string | undefined;
  /** @throws WaitingError, ApiError, CommandLineError */
  readonly run: () => Promise<void>;
}

/** What a run of `apply` is going to do. Nothing is changed before all of it is known. */
export class Plan {
  readonly steps: Step[] = [];
  readonly unchanged: string[] = [];
  /** What exists in a declared list and is not in the file. */
  readonly extra: string[] = [];
  /** What the user should know. */
  readonly notes: string[] = [];
  /** Why nothing is done at all. */
  readonly problems: string[] = [];

  /** A step, unless there are no differences. */
  change(what: string, details: readonly string[], run: Step['run'], needsConsent?: string): void {
    if (details.length === 0) this.unchanged.push(what);
    else this.steps.push({ action: 'change', what, details, run, needsConsent });
  }

  /** A deletion where `--prune` asks for it, else a line that says what is kept. */
  prune(isPruned: boolean, step: Omit<Step, 'action'>): void {
    if (isPruned) this.steps.push({ action: 'delete', ...step });
    else this.extra.push(step.what);
  }
}

const show = (value: unknown): string =>
  value === undefined || value === null ? 'nothing' : JSON.stringify(value);

/** `name: "Shop" → "Store"` */
export const describeChange = (field: string, before: unknown, after: unknown): string =>
  `${field}: ${show(before)} → ${show(after)}`;

/** Codes of operations that an application without an approval gets. */
const APPROVAL_CODES = new Set(['approval_required', 'scope_required']);

export const isWaitingForApproval = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && APPROVAL_CODES.has(error.code);
