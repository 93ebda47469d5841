import { badRequest, TelegramError, tooMany } from './telegram-errors.mjs';
import { TelegramUpdates } from './telegram-updates.mjs';

/** @typedef {{ id: number, is_bot: boolean, first_name: string, username?: string }} TelegramUser */
/** @typedef {{ status: number, body: object, headers?: Record<string, string> }} Answer */
/** @typedef {Record<string, unknown>} Parameters */
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
const MAX_MESSAGES_A_SECOND = 30;
const REQUEST_CHAT_MS = 5 * 60_000;

export const DEMO_GROUP_ID = -1_001_000_000_001;

/**
 * A stand-in of Telegram: one supergroup, its people, and the part of the Bot API that a bot needs which lets people into a group. Each method
 * names its rules and where they stand: API is https://core.telegram.org/bots/api, FAQ is https://core.telegram.org/bots/faq, and SERVER is the
 * source of the real interface, https://github.com/tdlib/telegram-bot-api (version 10.0), which also has the wording of most errors. Not enforced:
 * one message a second in a chat and twenty a minute in a group, which Telegram lets bursts exceed (FAQ), and the day after which updates are dropped (API).
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
  #updates = new TelegramUpdates();
  #lastMessageId = 0;
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

  /**
   * Answers are `{ ok, result }` or `{ ok, error_code, description, parameters }` (API, Making requests); a 429 says in `parameters.retry_after` and in the
   * header Retry-After how many seconds to wait (API, ResponseParameters; SERVER, HttpConnection.cpp).
   * @param {TelegramUser} bot whose token it is
   * @param {string} method
   * @param {Parameters} parameters
   * @returns {Promise<Answer>}
   */
  async call(bot, method, parameters) {
    this.calls.push(method);
    try {
      this.#checkLimit(method);
      return { status: 200, body: { ok: true, result: await this.#answer(bot, method, parameters) } };
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      const { code, message, parameters: more } = error;
      const body = { ok: false, error_code: code, description: message };
      if (!more) return { status: code, body };
      const headers = { 'retry-after': String(more.retry_after) };
      return { status: code, body: { ...body, parameters: more }, headers };
    }
  }

  /** A user writes to the bot; with their first message they have started it. @param {number} id @param {string} text */
  write(id, text) {
    const from = this.#known(id);
    this.started.add(id);
    this.#lines(id).push({ from: 'user', text });
    const chat = { id, type: 'private', first_name: from.first_name };
    const entities = text.startsWith('/') ? [{ type: 'bot_command', offset: 0, length: text.length }] : [];
    this.#updates.publish('message', {
      message_id: this.#nextMessageId(),
      from,
      chat,
      date: now(),
      text,
      entities,
    });
  }

  /** A user opens an invite link. Requests to join reach administrators with `can_invite_users` (API, ChatJoinRequest). @param {number} id @param {string} url @returns {'joined' | 'asked'} */
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
    if (this.group.rights?.can_invite_users)
      this.#updates.publish('chat_join_request', {
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

  #nextMessageId() {
    this.#lastMessageId += 1;
    return this.#lastMessageId;
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
    // Changes of members reach bots that are administrators (API, Update).
    if (before !== status && this.group.rights)
      this.#updates.publish('chat_member', {
        ...{ chat: this.#chat, from: user, date: now() },
        old_chat_member: { status: before, user },
        new_chat_member: { status, user },
      });
  }

  /** A bot sends 30 messages a second at most (FAQ). @param {string} method */
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
    if (seconds > 0) throw tooMany(seconds);
  }

  /** @param {TelegramUser} bot @param {string} method @param {Parameters} parameters @returns {unknown} or a promise of it */
  #answer(bot, method, parameters) {
    switch (method) {
      case 'getMe':
        return bot;
      case 'getUpdates':
        return this.#updates.poll(parameters);
      case 'setWebhook':
        return this.#updates.setWebhook(parameters);
      case 'deleteWebhook':
        return this.#updates.setWebhook({ ...parameters, url: '' });
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
   * A bot writes only to users who have started it and have not blocked it (FAQ), to those whose join request waits, for five minutes (API, ChatJoinRequest),
   * and to groups it is in. Texts have 1 to 4,096 characters (API, sendMessage).
   * @param {TelegramUser} bot
   * @param {Parameters} parameters
   */
  #sendMessage(bot, { chat_id: to, text }) {
    if (to === undefined || to === '') throw badRequest('chat_id is empty');
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
    return { message_id: this.#nextMessageId(), from: bot, chat, date: now(), text };
  }

  /**
   * Names have 32 characters at most; a link is limited to 1 to 99,999 members or asks for approval, never both (API, createChatInviteLink). It ends in the
   * future; the words of errors are those of https://core.telegram.org/method/messages.exportChatInvite.
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
      throw badRequest('USAGE_LIMIT_INVALID');
    if (expires !== undefined && !(Number(expires) > now())) throw badRequest('EXPIRE_DATE_INVALID');
    const link = `https://t.me/+stand-in-${this.group.links.length + 1}`;
    const expiresAt = expires === undefined ? Infinity : Number(expires) * 1_000;
    this.group.links.push({ link, asks: asks === true, memberLimit: members, expiresAt, uses: 0 });
    return { invite_link: link, creator: bot, creates_join_request: asks === true, is_revoked: false };
  }

  /** Only a request that waits is decided: https://core.telegram.org/method/messages.hideChatJoinRequest. @param {Parameters} parameters @param {boolean} isApproved */
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
   * Owners and administrators cannot be removed. Lifting a ban removes a member, too, unless `only_if_banned` is set (API, unbanChatMember).
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

  /**
   * Only an administrator is told of other users for certain (API, getChatMember). Users whom the group has never seen may be 400 instead of `left`:
   * https://github.com/tdlib/telegram-bot-api/issues/802.
   * @param {TelegramUser} bot
   * @param {Parameters} parameters
   */
  #getMember(bot, parameters) {
    this.#check(parameters);
    const id = Number(parameters.user_id);
    if (id === bot.id) return { status: 'administrator', user: bot, ...this.group.rights };
    if (!this.group.rights) throw badRequest('CHAT_ADMIN_REQUIRED');
    const user = this.users.get(id);
    if (!user || !this.group.members.has(id)) throw badRequest('PARTICIPANT_ID_INVALID');
    return { status: this.statusOf(id), user };
  }

  /**
   * A bot knows the chats that it is in, and does there what its rights as an administrator allow (API, ChatAdministratorRights).
   * @param {Parameters} parameters
   * @param {'can_invite_users' | 'can_restrict_members'} [right]
   * @param {string} [what]
   */
  #check({ chat_id: chat, user_id: user }, right, what = '') {
    if (chat === undefined || chat === '') throw badRequest('chat_id is empty');
    if (user !== undefined && !(Number(user) > 0)) throw badRequest('invalid user_id specified');
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

const now = () => Math.floor(Date.now() / 1_000);
