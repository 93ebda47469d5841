import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {{ id: number, is_bot: boolean, first_name: string, username?: string }} TelegramUser */
/** @typedef {{ status: number, body: object }} Answer */
/** @typedef {Record<string, unknown>} Parameters */
/** @typedef {{ update_id: number } & Record<string, unknown>} Update */
/** @typedef {'creator' | 'administrator' | 'member' | 'left' | 'kicked'} MemberStatus */
/** @typedef {{ from: 'user' | 'bot', text: string }} Line */
/** @typedef {{ link: string, asks: boolean, memberLimit: number, expiresAt: number, uses: number }} InviteLink */
/**
 * @typedef {object} Group
 * @property {number} id negative, as the ids of supergroups are
 * @property {string} title
 * @property {Map<number, MemberStatus>} members
 * @property {{ can_invite_users: boolean, can_restrict_members: boolean } | undefined} rights of the bot, which is an administrator; none where it is not
 * @property {InviteLink[]} links
 * @property {Map<number, number>} requests to join, with their time
 */

const MAX_TEXT = 4_096;
const MAX_LINK_NAME = 32;
const MAX_MEMBER_LIMIT = 99_999;
const MAX_POLL_SECONDS = 50;
const MAX_UPDATES = 100;
const MAX_MESSAGES_A_SECOND = 30;
const REQUEST_CHAT_MS = 5 * 60_000;
/** Updates that a bot gets only when it names them in `allowed_updates`. */
const NAMED_UPDATES = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);
const WEBHOOK_RETRY_MS = 500;

export const DEMO_GROUP_ID = -1_001_000_000_001;

/** An answer that the Bot API gives with `ok: false`. */
class TelegramError extends Error {
  /** @param {number} code @param {string} description @param {object} [parameters] */
  constructor(code, description, parameters) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

const badRequest = (/** @type {string} */ text) => new TelegramError(400, `Bad Request: ${text}`);

/**
 * A stand-in of Telegram: one supergroup, its people, and the part of the Bot API (https://core.telegram.org/bots/api) that a bot needs
 * which lets people into a group. Errors are worded after those of the Bot API, which were not compared word for word. Each check names the rule of the
 * real interface that it enforces.
 */
export class Telegram {
  /** @type {Map<number, TelegramUser>} */
  users = new Map();
  /** @type {Group} */
  group = {
    id: DEMO_GROUP_ID,
    title: 'Collectors',
    members: new Map([[4_000, 'creator']]),
    rights: { can_invite_users: true, can_restrict_members: true },
    links: [],
    requests: new Map(),
  };
  /** Users who have started the bot. @type {Set<number>} */
  started = new Set();
  /** Users who have blocked the bot. @type {Set<number>} */
  blocked = new Set();
  /** What the bot and a user wrote to each other, by the user's id. @type {Map<number, Line[]>} */
  chats = new Map();
  /** Methods that were called, in order. @type {string[]} */
  calls = [];
  /** @type {Update[]} */
  #updates = [];
  #nextUpdateId = 1;
  /** @type {{ end: (conflict: boolean) => void } | undefined} */
  #poll;
  /** @type {{ url: string, secret: string | undefined } | undefined} */
  #webhook;
  /** @type {Set<string> | undefined} */
  #allowed;
  /** @type {Map<string, { times: number, seconds: number }>} */
  #limited = new Map();
  /** @type {number[]} */
  #sentAt = [];

  /** @param {TelegramUser[]} [people] the first one owns the group */
  constructor(people = DEMO_PEOPLE) {
    for (const user of people) this.users.set(user.id, user);
  }

  /** The next calls of a method are refused with 429. @param {string} method @param {number} times @param {number} seconds */
  limit(method, times, seconds = 1) {
    this.#limited.set(method, { times, seconds });
  }

  /** @param {TelegramUser} bot whose token it is @param {string} method @param {Parameters} parameters @returns {Promise<Answer>} */
  async call(bot, method, parameters) {
    this.calls.push(method);
    try {
      this.#checkLimit(method);
      return { status: 200, body: { ok: true, result: await this.#answer(bot, method, parameters) } };
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      const { code, message, parameters: more } = error;
      const body = { ok: false, error_code: code, description: message };
      return { status: code, body: more ? { ...body, parameters: more } : body };
    }
  }

  /** A user writes to the bot; with their first message they have started it. @param {number} id @param {string} text */
  write(id, text) {
    const from = this.#known(id);
    this.started.add(id);
    this.#lines(id).push({ from: 'user', text });
    const chat = { id, type: 'private', first_name: from.first_name };
    const entities = text.startsWith('/') ? [{ type: 'bot_command', offset: 0, length: text.length }] : [];
    this.#publish('message', { message_id: this.#nextUpdateId, from, chat, date: now(), text, entities });
  }

  /** A user opens an invite link. @param {number} id @param {string} url @returns {'joined' | 'asked'} */
  openLink(id, url) {
    const from = this.#known(id);
    const link = this.group.links.find((one) => one.link === url);
    const isUsable = link && link.expiresAt > Date.now() && link.uses < link.memberLimit;
    if (!isUsable || this.statusOf(id) === 'kicked') throw badRequest('INVITE_HASH_EXPIRED');
    if (['creator', 'administrator', 'member'].includes(this.statusOf(id))) return 'joined';
    if (!link.asks) {
      link.uses += 1;
      this.#setStatus(id, 'member');
      return 'joined';
    }
    this.group.requests.set(id, Date.now());
    // Join requests reach bots that may invite.
    if (this.group.rights?.can_invite_users)
      this.#publish('chat_join_request', {
        ...{ chat: this.#chat, from, user_chat_id: id, date: now() },
        invite_link: { invite_link: url, creates_join_request: true },
      });
    return 'asked';
  }

  /** A member adds another user. @param {number} id */
  add(id) {
    this.#known(id);
    this.#setStatus(id, 'member');
  }

  /** @param {number} id */
  leave(id) {
    this.#setStatus(id, 'left');
  }

  /** @param {number} id @returns {MemberStatus} */
  statusOf(id) {
    return this.group.members.get(id) ?? 'left';
  }

  /** What a user sees: the chat with the bot, and whether they are in the group. @param {number} id */
  view(id) {
    const user = this.#known(id);
    return {
      ...{ user: user.first_name, status: this.statusOf(id), hasAskedToJoin: this.group.requests.has(id) },
      messages: this.chats.get(id) ?? [],
    };
  }

  get #chat() {
    return { id: this.group.id, title: this.group.title, type: 'supergroup' };
  }

  /** @param {number} id */
  #known(id) {
    const user = this.users.get(id);
    if (!user) throw badRequest('chat not found');
    return user;
  }

  /** @param {number} id */
  #lines(id) {
    const lines = this.chats.get(id) ?? [];
    this.chats.set(id, lines);
    return lines;
  }

  /** @param {number} id @param {MemberStatus} status */
  #setStatus(id, status) {
    const user = this.#known(id);
    const before = this.statusOf(id);
    this.group.members.set(id, status);
    this.group.requests.delete(id);
    // Changes of members reach bots that are administrators.
    if (before !== status && this.group.rights)
      this.#publish('chat_member', {
        ...{ chat: this.#chat, from: user, date: now() },
        old_chat_member: { status: before, user },
        new_chat_member: { status, user },
      });
  }

  /** 429 has the seconds in `parameters.retry_after`; a bot sends 30 messages a second at most. @param {string} method */
  #checkLimit(method) {
    const planned = this.#limited.get(method);
    let seconds = 0;
    if (planned && planned.times > 0) {
      planned.times -= 1;
      seconds = planned.seconds;
    } else if (method === 'sendMessage') {
      this.#sentAt = [...this.#sentAt.filter((at) => at > Date.now() - 1_000), Date.now()];
      if (this.#sentAt.length > MAX_MESSAGES_A_SECOND) seconds = 1;
    }
    if (seconds > 0)
      throw new TelegramError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
  }

  /** @param {TelegramUser} bot @param {string} method @param {Parameters} parameters @returns {unknown} or a promise of it */
  #answer(bot, method, parameters) {
    switch (method) {
      case 'getMe':
        return bot;
      case 'getUpdates':
        return this.#getUpdates(parameters);
      case 'setWebhook':
        return this.#setWebhook(parameters);
      case 'deleteWebhook':
        this.#webhook = undefined;
        return true;
      case 'sendMessage':
        return this.#sendMessage(bot, parameters);
      case 'createChatInviteLink':
        return this.#createLink(bot, parameters);
      case 'approveChatJoinRequest':
      case 'declineChatJoinRequest':
        return this.#decide(parameters, method === 'approveChatJoinRequest');
      case 'banChatMember':
      case 'unbanChatMember':
        return this.#removeMember(parameters, method === 'banChatMember');
      case 'getChatMember':
        return this.#getMember(bot, parameters);
      default:
        throw new TelegramError(404, 'Not Found: method not found');
    }
  }

  /**
   * An offset confirms all updates before it; of two polls the older one ends with 409; polls and a webhook exclude each other.
   * `allowed_updates` is kept until it is given again.
   * @param {Parameters} parameters
   */
  async #getUpdates({ offset, limit, timeout, allowed_updates: allowed }) {
    if (this.#webhook) throw new TelegramError(409, WEBHOOK_CONFLICT);
    if (allowed !== undefined) this.#allowed = new Set(toStrings(allowed));
    if (typeof offset === 'number') this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
    this.#poll?.end(true);
    const seconds = Math.min(Number(timeout ?? 0), MAX_POLL_SECONDS);
    if (this.#updates.length === 0 && seconds > 0) {
      const hasConflict = await new Promise((/** @type {(conflict: boolean) => void} */ resolve) => {
        const timer = setTimeout(() => {
          poll.end(false);
        }, seconds * 1_000);
        const poll = {
          end: (/** @type {boolean} */ conflict) => {
            clearTimeout(timer);
            if (this.#poll === poll) this.#poll = undefined;
            resolve(conflict);
          },
        };
        this.#poll = poll;
      });
      if (hasConflict) throw new TelegramError(409, POLL_CONFLICT);
    }
    return this.#updates.slice(0, Math.min(Number(limit ?? MAX_UPDATES), MAX_UPDATES));
  }

  /** Addresses are https ones; here loopback addresses may be http, too. @param {Parameters} parameters */
  #setWebhook({ url, secret_token: secret, allowed_updates: allowed }) {
    if (typeof url !== 'string') throw badRequest('bad webhook: URL is missing');
    if (!url.startsWith('https://') && !/^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(url))
      throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
    if (secret !== undefined && (typeof secret !== 'string' || !/^[\w-]{1,256}$/.test(secret)))
      throw badRequest('secret token contains unallowed characters');
    if (allowed !== undefined) this.#allowed = new Set(toStrings(allowed));
    this.#webhook = { url, secret };
    this.#poll?.end(true);
    void this.#deliver();
    return true;
  }

  /** @param {string} kind @param {object} content */
  #publish(kind, content) {
    const allowed = this.#allowed;
    const isWanted = allowed && allowed.size > 0 ? allowed.has(kind) : !NAMED_UPDATES.has(kind);
    if (!isWanted) return;
    this.#updates.push({ update_id: this.#nextUpdateId++, [kind]: content });
    this.#poll?.end(false);
    void this.#deliver();
  }

  /** Posts updates one after the other, with the secret token in a header, until each is answered with 2xx. */
  async #deliver() {
    const webhook = this.#webhook;
    const update = this.#updates[0];
    if (!webhook || !update) return;
    const headers = new Headers({ 'content-type': 'application/json' });
    if (webhook.secret) headers.set('X-Telegram-Bot-Api-Secret-Token', webhook.secret);
    const isTaken = await fetch(webhook.url, { method: 'POST', headers, body: JSON.stringify(update) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isTaken) this.#updates = this.#updates.filter((one) => one !== update);
    else await sleep(WEBHOOK_RETRY_MS, undefined, { ref: false });
    if (this.#webhook === webhook) void this.#deliver();
  }

  /**
   * A bot writes only to users who have started it, to those whose join request waits, for five minutes, and to groups it is in. Texts have 1 to 4,096 characters.
   * @param {TelegramUser} bot
   * @param {Parameters} parameters
   */
  #sendMessage(bot, { chat_id: to, text }) {
    if (typeof text !== 'string' || text.trim() === '') throw badRequest('message text is empty');
    if (text.length > MAX_TEXT) throw badRequest('message is too long');
    const id = Number(to);
    if (id !== this.group.id) {
      this.#known(id);
      const mayAnswer = Date.now() - (this.group.requests.get(id) ?? 0) < REQUEST_CHAT_MS;
      if (this.blocked.has(id)) throw new TelegramError(403, 'Forbidden: bot was blocked by the user');
      if (!this.started.has(id) && !mayAnswer)
        throw new TelegramError(403, "Forbidden: bot can't initiate conversation with a user");
      this.#lines(id).push({ from: 'bot', text });
    } else if (!this.group.rights)
      throw new TelegramError(403, 'Forbidden: bot is not a member of the supergroup chat');
    const chat = id === this.group.id ? this.#chat : { id, type: 'private' };
    return { message_id: this.#nextUpdateId, from: bot, chat, date: now(), text };
  }

  /**
   * Names have 32 characters at most; a link is limited to a number of members or asks for approval, never both.
   * @param {TelegramUser} bot
   * @param {Parameters} parameters
   */
  #createLink(bot, parameters) {
    this.#check(parameters, 'can_invite_users', 'manage chat invite link');
    const {
      name = '',
      member_limit: memberLimit,
      expire_date: expires,
      creates_join_request: asks,
    } = parameters;
    if (String(name).length > MAX_LINK_NAME) throw badRequest('invite link name is too long');
    if (asks === true && memberLimit !== undefined)
      throw badRequest("member limit can't be specified for links requiring administrator approval");
    const members = memberLimit === undefined ? Infinity : Number(memberLimit);
    if (memberLimit !== undefined && !(members >= 1 && members <= MAX_MEMBER_LIMIT))
      throw badRequest('MEMBER_LIMIT_INVALID');
    const link = `https://t.me/+stand-in-${this.group.links.length + 1}`;
    const expiresAt = expires === undefined ? Infinity : Number(expires) * 1_000;
    this.group.links.push({ link, asks: asks === true, memberLimit: members, expiresAt, uses: 0 });
    return { invite_link: link, creator: bot, creates_join_request: asks === true, is_revoked: false };
  }

  /** Only a request that waits is decided. @param {Parameters} parameters @param {boolean} isApproved */
  #decide(parameters, isApproved) {
    this.#check(parameters, 'can_invite_users', 'manage chat join requests');
    const id = Number(parameters.user_id);
    if (['creator', 'administrator', 'member'].includes(this.statusOf(id)))
      throw badRequest('USER_ALREADY_PARTICIPANT');
    if (!this.group.requests.has(id)) throw badRequest('HIDE_REQUESTER_MISSING');
    this.group.requests.delete(id);
    if (isApproved) this.#setStatus(id, 'member');
    return true;
  }

  /**
   * Owners and administrators cannot be removed. A ban that is lifted removes a member, too, unless `only_if_banned` is set.
   * @param {Parameters} parameters
   * @param {boolean} isBan
   */
  #removeMember(parameters, isBan) {
    this.#check(parameters, 'can_restrict_members', 'restrict/unrestrict chat member');
    const id = Number(parameters.user_id);
    this.#known(id);
    const status = this.statusOf(id);
    if (status === 'creator') throw badRequest("can't remove chat owner");
    if (status === 'administrator') throw badRequest('user is an administrator of the chat');
    if (isBan) this.#setStatus(id, 'kicked');
    else if (status === 'kicked' || parameters.only_if_banned !== true) this.#setStatus(id, 'left');
    return true;
  }

  /** @param {TelegramUser} bot @param {Parameters} parameters */
  #getMember(bot, parameters) {
    this.#check(parameters);
    const id = Number(parameters.user_id);
    if (id === bot.id) return { status: 'administrator', user: bot, ...this.group.rights };
    const user = this.users.get(id);
    if (!user) throw badRequest('PARTICIPANT_ID_INVALID');
    return { status: this.statusOf(id), user };
  }

  /**
   * A bot knows the chats that it is in, and does there what its rights as an administrator allow.
   * @param {Parameters} parameters
   * @param {'can_invite_users' | 'can_restrict_members'} [right]
   * @param {string} [what]
   */
  #check({ chat_id: chat }, right, what = '') {
    if (Number(chat) !== this.group.id) throw badRequest('chat not found');
    if (right && !this.group.rights?.[right]) throw badRequest(`not enough rights to ${what}`);
  }
}

/** @type {TelegramUser[]} */
const DEMO_PEOPLE = [
  { id: 4_000, is_bot: false, first_name: 'Olga', username: 'olga' },
  { id: 4_001, is_bot: false, first_name: 'Ann', username: 'ann' },
  { id: 4_002, is_bot: false, first_name: 'Ben', username: 'ben' },
];

const WEBHOOK_CONFLICT =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
const POLL_CONFLICT =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

const now = () => Math.floor(Date.now() / 1_000);

/** @param {unknown} list @returns {string[]} */
const toStrings = (list) => (Array.isArray(list) ? list.map(String) : []);
