import { checkPublishedRules, type RoleAnswer } from './checks.js';
import { type Client, createClient } from './client.js';

/** What a page asks: which of these published rules grant their roles to this account? */
export interface RoleQuestion {
  /** The address of the deployment. */
  readonly baseUrl: string;
  readonly publishableId: string;
  /** A plain EVM or Solana address. */
  readonly account: string;
  /** Names of published rules. */
  readonly rules: readonly string[];
}

/** The same question has the same text, whatever object holds it. */
export const keyOf = ({ baseUrl, publishableId, account, rules }: RoleQuestion): string =>
  JSON.stringify([baseUrl, publishableId, account, rules]);

/** An answer is asked for again only when it is older than this. */
const FRESH_MS = 30_000;
/** After an error the same question waits, so that a page that renders in a loop sends no storm. */
const ERROR_FRESH_MS = 5_000;
/** Answers that are kept for one page; the oldest one goes first. */
const MAX_ANSWERS = 100;

interface Asked {
  readonly promise: Promise<RoleAnswer>;
  readonly controller: AbortController;
  askers: number;
  /** Undefined while the answer is on its way. */
  freshUntil?: number;
}

const asked = new Map<string, Asked>();
const clients = new Map<string, Client>();

export interface Asking {
  readonly answer: Promise<RoleAnswer>;
  /** The asker is gone. When all are, the request is aborted. */
  readonly leave: () => void;
}

/**
 * Asks a question, or joins those who ask it already: a page with fifty gates of one account sends one request.
 * @param isAgain asks anew although an answer is known
 */
export function askRoles(question: RoleQuestion, isAgain = false): Asking {
  const key = keyOf(question);
  const known = asked.get(key);
  const isUsable =
    known !== undefined && (known.freshUntil === undefined || (!isAgain && known.freshUntil > Date.now()));
  const one = isUsable ? known : ask(key, question);
  one.askers += 1;
  let isHere = true;
  return {
    answer: one.promise,
    leave: () => {
      if (!isHere) return;
      isHere = false;
      one.askers -= 1;
      // Frameworks leave and come back within one task, for instance React's strict mode.
      setTimeout(() => {
        if (one.askers > 0 || one.freshUntil !== undefined) return;
        if (asked.get(key) === one) asked.delete(key);
        one.controller.abort(new DOMException('Nobody waits for the answer', 'AbortError'));
      }, 0);
    },
  };
}

function ask(key: string, question: RoleQuestion): Asked {
  const controller = new AbortController();
  const { account, rules } = question;
  const promise = Promise.resolve().then(() =>
    checkPublishedRules(clientOf(question), { account, rules: [...rules] }, { signal: controller.signal }),
  );
  const one: Asked = { promise, controller, askers: 0 };
  promise.then(
    () => {
      one.freshUntil = Date.now() + FRESH_MS;
    },
    () => {
      one.freshUntil = Date.now() + ERROR_FRESH_MS;
    },
  );
  asked.delete(key);
  asked.set(key, one);
  const [oldest] = asked.keys();
  if (asked.size > MAX_ANSWERS && oldest !== undefined) asked.delete(oldest);
  return one;
}

function clientOf({ baseUrl, publishableId }: RoleQuestion): Client {
  const key = `${baseUrl} ${publishableId}`;
  const client = clients.get(key) ?? createClient({ baseUrl, publishableId });
  clients.set(key, client);
  return client;
}
