/** A Telegram bot that lets those into a group who hold a role of a Gatehouse community, and removes those who have lost it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createGatehouse, log, send, serve, setting } from './gatehouse.mjs';

/** @typedef {{ id: number, is_bot: boolean, first_name: string, username?: string }} User */
/** @typedef {{ status: string, user: User } | undefined} Member */
/**
 * @typedef {object} Update
 * @property {number} update_id
 * @property {{ from?: User, chat: { id: number, type: string }, text?: string }} [message]
 * @property {{ from: User, chat: { id: number }, user_chat_id: number }} [chat_join_request]
 * @property {{ chat: { id: number }, new_chat_member: Member }} [chat_member]
 */

const chat_id = Number(setting('TELEGRAM_GROUP_ID'));
const roles = setting('ROLES').split(',');
const POLL_SECONDS = 25;
const NOT_ASKED = /HIDE_REQUESTER_MISSING|USER_ALREADY_PARTICIPANT/;
const NEVER_SEEN = /PARTICIPANT_ID_INVALID|(user|member) not found/i;

/** @param {string} method @param {object} [body] @param {RegExp} [expected] what an answer has that is no failure here @returns {Promise<unknown>} */
async function telegram(method, body = {}, expected) {
  const url = `${setting('TELEGRAM_API_URL')}/bot${setting('TELEGRAM_BOT_TOKEN')}/${method}`;
  const options = { method: 'POST', body, expected, timeoutMs: (POLL_SECONDS + 10) * 1_000 };
  return /** @type {{ result?: unknown }} */ (await send(url, options)).result;
}

/** Nobody hears from a bot that they have not started, or have blocked, and nothing waits for it. @param {string | number} user @param {string} text */
const tell = (user, text) => void telegram('sendMessage', { chat_id: user, text }).catch(log);

/** Approves the user's request to join; who has made none gets the link by which they make one. @param {string} id */
async function letIn(id) {
  const isApproved = await telegram('approveChatJoinRequest', { chat_id, user_id: Number(id) }, NOT_ASKED);
  tell(id, isApproved ? 'Welcome to the group.' : `Join the group: ${gatehouse.state.link ?? ''}`);
}

/** Removes a member, who may come back. Who was banned stays banned, and administrators stay. @param {string} id */
async function remove(id) {
  const user = { chat_id, user_id: Number(id) };
  const member = /** @type {Member} */ (await telegram('getChatMember', user, NEVER_SEEN));
  if (member?.status !== 'member' && member?.status !== 'restricted') return;
  await telegram('unbanChatMember', user); // removes members, and in one call, unlike a ban that is lifted again
  tell(id, 'You no longer hold what the group asks for. Send /start once you do.');
}

/** Lets a user in who has the role; the others get a page that links a wallet, for them alone. @param {User} user @param {number} to */
async function judge({ id, username, first_name }, to) {
  const text = await gatehouse.join(String(id), username ?? first_name);
  if (text) tell(to, text);
}

/** @param {Update} update */
async function handle({ message, chat_join_request: request, chat_member: changed }) {
  if (message?.from && message.chat.type === 'private' && /^\/(start|verify)\b/.test(message.text ?? ''))
    await judge(message.from, message.chat.id);
  if (request?.chat.id === chat_id) await judge(request.from, request.user_chat_id);
  // Somebody may come by another way: added by a member, or by another link. Who has the role is not let in a second time.
  const { status, user } = changed?.new_chat_member ?? {};
  if (changed?.chat.id === chat_id && status === 'member' && user && !user.is_bot)
    await gatehouse.refresh(String(user.id), roles);
}

const gatehouse = createGatehouse(`${setting('TELEGRAM_API_URL')} ${chat_id}`, {
  roles,
  // Telegram's ids have 52 bits at most. Those of Discord, whose bot may serve the same community, have 17 digits or more.
  isFollowed: (id) => /^[1-9]\d{0,15}$/.test(id),
  change: async (id, held, before) => {
    if (held.length === 0) await remove(id);
    else if (before.length === 0) await letIn(id);
  },
});
serve({ '/callbacks': gatehouse.receive });

// People ask to join by this link, and each is judged: it is of no use to those to whom it is passed on.
const makeLink = () => telegram('createChatInviteLink', { chat_id, creates_join_request: true });
gatehouse.state.link ??= /** @type {{ invite_link: string }} */ (await makeLink()).invite_link;
gatehouse.save();
await gatehouse.reconcile().catch(log);
console.log(`The bot gates the group ${chat_id}: ${gatehouse.state.link}`);

for (let offset = 0; ;) {
  const allowed_updates = ['message', 'chat_join_request', 'chat_member'];
  const updates = await telegram('getUpdates', { offset, timeout: POLL_SECONDS, allowed_updates }).catch(log);
  for (const update of /** @type {Update[]} */ (updates ?? [])) {
    await handle(update).catch(log);
    offset = update.update_id + 1;
  }
  if (!updates) await sleep(5_000);
}
