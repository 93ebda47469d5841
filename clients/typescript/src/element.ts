import { type RoleAnswer, readRole } from './checks.js';
import { askRoles, keyOf, type RoleQuestion } from './role-questions.js';

export type GateState = 'loading' | 'granted' | 'denied' | 'error';

/** The detail of the event `gatehouse-change`. */
export interface GateChange {
  readonly state: GateState;
  readonly answer?: RoleAnswer | undefined;
  readonly error?: unknown;
}

const DEFAULT_TEXTS: Readonly<Record<Exclude<GateState, 'granted'>, string>> = {
  loading: 'Checking what your wallet holds',
  denied: 'Your wallet does not hold what this part of the page asks for.',
  error: 'The check failed.',
};

/** Programs that render pages on a server load this module, too, and have no elements. */
const Base =
  (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * Shows one of its slots `granted`, `denied`, `loading` and `error`. Attributes: `base-url`, `publishable-id`, `account`, `rules` (names
 * of published rules, separated by spaces), and `required-roles` (role ids; without it every role of the answer is required).
 * Without an account it shows `denied`.
 *
 * What is in its slots is in the page's source whatever the answer is: a server decides again before it gives anything out.
 */
export class GatehouseGateElement extends Base {
  static readonly observedAttributes = ['base-url', 'publishable-id', 'account', 'rules', 'required-roles'];

  #key: string | undefined;
  #leave: (() => void) | undefined;
  #slots: Readonly<Record<GateState, HTMLSlotElement>> | undefined;
  #isPlanned = false;

  connectedCallback(): void {
    this.#slots ??= this.#render();
    this.#plan();
  }

  disconnectedCallback(): void {
    this.#leave?.();
    this.#leave = undefined;
    this.#key = undefined;
  }

  attributeChangedCallback(): void {
    this.#plan();
  }

  /** Asks again, also after an error. */
  refresh(): void {
    this.#ask(true);
  }

  /** Attributes that change in one task are one question. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      if (this.isConnected) this.#ask(false);
    });
  }

  #ask(isAgain: boolean): void {
    const question = this.#readQuestion();
    const key = question && keyOf(question);
    const requiredRoles = this.#listOf('required-roles');
    const text = `${key ?? ''} ${requiredRoles.join(' ')}`;
    if (!isAgain && text === this.#key) return;
    this.#key = text;
    this.#leave?.();
    this.#leave = undefined;
    if (question === undefined) {
      this.#show({ state: 'denied' });
      return;
    }
    this.#show({ state: 'loading' });
    const { answer, leave } = askRoles(question, isAgain);
    this.#leave = leave;
    const settle = (change: GateChange): void => {
      // An answer to an earlier question says nothing of this one.
      if (this.#key === text && this.#leave === leave) this.#show(change);
    };
    answer
      .then((roles) => {
        settle({ state: judge(roles, requiredRoles), answer: roles });
      })
      .catch((error: unknown) => {
        settle({ state: 'error', error });
      });
  }

  #readQuestion(): RoleQuestion | undefined {
    const account = this.getAttribute('account')?.trim() ?? '';
    if (account === '') return undefined;
    return {
      baseUrl: resolveAddress(this.getAttribute('base-url') ?? ''),
      publishableId: this.getAttribute('publishable-id') ?? '',
      account,
      rules: this.#listOf('rules'),
    };
  }

  #listOf(attribute: string): string[] {
    return (this.getAttribute(attribute) ?? '').split(/[\s,]+/).filter((name) => name !== '');
  }

  /** Without a style of its own, which the policy of the page might refuse: what is not shown is `hidden`. */
  #render(): Readonly<Record<GateState, HTMLSlotElement>> {
    const root = this.attachShadow({ mode: 'open' });
    const createSlot = (name: GateState, fallback = ''): HTMLSlotElement => {
      const slot = document.createElement('slot');
      slot.name = name;
      slot.hidden = true;
      slot.append(fallback);
      return slot;
    };
    const slots = {
      loading: createSlot('loading', DEFAULT_TEXTS.loading),
      granted: createSlot('granted'),
      denied: createSlot('denied', DEFAULT_TEXTS.denied),
      error: createSlot('error', DEFAULT_TEXTS.error),
    };
    // Screen readers are told of the outcome; what is granted may be long, and is read when the reader gets there.
    const status = document.createElement('div');
    status.setAttribute('role', 'status');
    status.append(slots.loading, slots.denied, slots.error);
    root.append(status, slots.granted);
    return slots;
  }

  #show(change: GateChange): void {
    if (!this.#slots) return;
    for (const [state, slot] of Object.entries(this.#slots)) slot.hidden = state !== change.state;
    this.setAttribute('aria-busy', String(change.state === 'loading'));
    this.dispatchEvent(new CustomEvent<GateChange>('gatehouse-change', { detail: change, bubbles: true }));
  }
}

/** A page on the same host as the deployment writes `/`. What is no address is refused by `createClient`. */
const resolveAddress = (text: string): string =>
  text !== '' && URL.canParse(text, document.baseURI) ? new URL(text, document.baseURI).href : text;

function judge(answer: RoleAnswer, requiredRoles: readonly string[]): GateState {
  const roles = requiredRoles.length > 0 ? requiredRoles : answer.roles.map(({ id }) => id);
  const verdicts = roles.map((id) => readRole(answer, id));
  if (verdicts.length > 0 && verdicts.every((verdict) => verdict === 'granted')) return 'granted';
  // A role that the rules do not name is denied: the page asks for what cannot be had.
  const isUnread = roles.some(
    (id, at) => verdicts[at] === 'undetermined' && answer.roles.some((role) => role.id === id),
  );
  return isUnread && !verdicts.includes('denied') ? 'error' : 'denied';
}

/** Registers `<gatehouse-gate>`. A second call does nothing. */
export function defineGate(name = 'gatehouse-gate'): void {
  if (!customElements.get(name)) customElements.define(name, class extends GatehouseGateElement {});
}
