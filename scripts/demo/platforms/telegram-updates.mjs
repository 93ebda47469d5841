import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, TelegramError, tooMany } from './telegram-errors.mjs';

/** @typedef {Record<string, unknown>} Parameters */
/** @typedef {{ update_id: number } & Record<string, unknown>} Update */

const MAX_POLL_SECONDS = 50;
const MAX_UPDATES = 100;
/** Updates that a bot gets only when it names them in `allowed_updates`. */
const NAMED_UPDATES = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);
const WEBHOOK_RETRY_MS = 500;
const MIN_WEBHOOK_PAUSE_MS = 1_000;
const WEBHOOK_PORTS = ['', '80', '88', '443', '8443'];
const WEBHOOK_CONFLICT =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
const POLL_CONFLICT =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

/** What a bot of the stand-in is told, by polls or a webhook. API and SERVER are the sources that telegram.mjs names. */
export class TelegramUpdates {
  /** @type {Update[]} */
  #updates = [];
  #nextUpdateId = 1;
  /** @type {{ end: (conflict?: string) => void } | undefined} */
  #poll;
  /** @type {{ url: string, secret: string | undefined } | undefined} */
  #webhook;
  #webhookSetAt = 0;
  #isDelivering = false;
  /** @type {Set<string> | undefined} */
  #allowed;

  /**
   * An offset confirms all updates before it, a negative one all but the last ones; `allowed_updates` is kept until it is given again; polls and a webhook
   * exclude each other (API, getUpdates). A poll that waits ends an older one that does, with 409 (SERVER, abort_long_poll).
   * @param {Parameters} parameters
   */
  async poll({ offset, limit, timeout, allowed_updates: allowed }) {
    if (this.#webhook) throw new TelegramError(409, WEBHOOK_CONFLICT);
    if (allowed !== undefined) this.#allowed = new Set(toStrings(allowed));
    const from = Number(offset ?? 0);
    if (from < 0) this.#updates = this.#updates.slice(from);
    else this.#updates = this.#updates.filter(({ update_id: id }) => id >= from);
    const seconds = Math.min(Number(timeout ?? 0), MAX_POLL_SECONDS);
    if (this.#updates.length === 0 && seconds > 0) {
      this.#poll?.end(POLL_CONFLICT);
      const conflict = await new Promise((/** @type {(conflict?: string) => void} */ resolve) => {
        const timer = setTimeout(() => {
          poll.end(undefined);
        }, seconds * 1_000);
        const poll = {
          end: (/** @type {string | undefined} */ conflict) => {
            clearTimeout(timer);
            if (this.#poll === poll) this.#poll = undefined;
            resolve(conflict);
          },
        };
        this.#poll = poll;
      });
      if (conflict !== undefined) throw new TelegramError(409, conflict);
    }
    return this.#updates.slice(0, Math.min(Number(limit ?? MAX_UPDATES), MAX_UPDATES));
  }

  /**
   * An empty address removes the webhook; others are https ones at the ports 443, 80, 88 and 8443; a secret has 1 to 256 of the characters A-Z, a-z, 0-9, _
   * and - (API, setWebhook). Addresses are set once a second (SERVER, process_set_webhook_query). Here loopback addresses may have http and any port.
   * @param {Parameters} parameters
   */
  setWebhook({ url = '', secret_token: secret, allowed_updates: allowed, drop_pending_updates: drops }) {
    if (drops === true) this.#updates = [];
    if (url === '') {
      this.#webhook = undefined;
      return true;
    }
    const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
    if (!address) throw badRequest('invalid webhook URL specified');
    const isHere = ['127.0.0.1', 'localhost'].includes(address.hostname);
    if (address.protocol !== 'https:' && !isHere)
      throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
    if (!WEBHOOK_PORTS.includes(address.port) && !isHere)
      throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443');
    if (secret !== undefined && (typeof secret !== 'string' || !/^[\w-]{1,256}$/.test(secret)))
      throw badRequest('secret token contains unallowed characters');
    if (Date.now() - this.#webhookSetAt < MIN_WEBHOOK_PAUSE_MS) throw tooMany(1);
    this.#webhookSetAt = Date.now();
    if (allowed !== undefined) this.#allowed = new Set(toStrings(allowed));
    this.#webhook = { url: address.href, secret };
    this.#poll?.end('Conflict: terminated by setWebhook request');
    void this.#deliver();
    return true;
  }

  /** @param {string} kind @param {object} content */
  publish(kind, content) {
    const allowed = this.#allowed;
    const isWanted = allowed && allowed.size > 0 ? allowed.has(kind) : !NAMED_UPDATES.has(kind);
    if (!isWanted) return;
    this.#updates.push({ update_id: this.#nextUpdateId++, [kind]: content });
    this.#poll?.end();
    void this.#deliver();
  }

  /** Posts updates one after the other, with the secret token in a header, until each is answered with 2xx (API, setWebhook). */
  async #deliver() {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (;;) {
      const webhook = this.#webhook;
      const update = this.#updates[0];
      if (!webhook || !update) break;
      const headers = new Headers({ 'content-type': 'application/json' });
      if (webhook.secret) headers.set('X-Telegram-Bot-Api-Secret-Token', webhook.secret);
      const request = { method: 'POST', headers, body: JSON.stringify(update) };
      const isTaken = await fetch(webhook.url, request).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isTaken) this.#updates = this.#updates.filter((one) => one !== update);
      else await sleep(WEBHOOK_RETRY_MS, undefined, { ref: false });
    }
    this.#isDelivering = false;
  }
}

/** @param {unknown} list @returns {string[]} */
const toStrings = (list) => (Array.isArray(list) ? list.map(String) : []);
